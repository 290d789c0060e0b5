#!/usr/bin/env python3
"""Compares what `nearfork topo` printed in the guest with golden text, or renews that.

usage: golden.py RESULTS GOLDEN [--renew]

In RESULTS, the lines that begin with "topo: " are the picture. The memory that a node shows is what the kernel left of it, which
changes with every kernel: it is rounded up to 64 MiB, and the total is the sum of that. hwloc's version is left out.
"""
import difflib
import re
import sys

MEMORY = re.compile(r"(?P<before>: (?:DRAM|HBM|CXL|NVM|device) )(?P<size>[0-9.]+) (?P<unit>MiB|GiB)")
VERSION = re.compile(r"\(hwloc [0-9.]+\)")
TOTAL = re.compile(r", [0-9.]+ (MiB|GiB)$")


def rounded(pictured):
    total = 0

    def round_up(match):
        nonlocal total
        mib = float(match["size"]) * (1024 if match["unit"] == "GiB" else 1)
        up = -(-mib // 64) * 64
        total += up
        return f"{match['before']}{up:.0f} MiB"

    lines = [MEMORY.sub(round_up, line) for line in pictured]
    lines = [VERSION.sub("(hwloc)", line) for line in lines]
    lines[0] = TOTAL.sub(f", {total:.0f} MiB", lines[0])
    return lines


def main():
    results, golden = sys.argv[1:3]
    with open(results, errors="replace") as file:
        pictured = [line.rstrip("\r\n")[len("topo: "):] for line in file if line.startswith("topo: ")]
    if not pictured:
        sys.exit("the guest printed no topology")
    lines = rounded(pictured)
    if sys.argv[3:] == ["--renew"]:
        with open(golden, "w") as file:
            file.write("\n".join(lines) + "\n")
        return
    with open(golden) as file:
        expected = file.read().splitlines()
    difference = list(difflib.unified_diff(expected, lines, "golden", "guest", lineterm=""))
    if difference:
        sys.exit("\n".join(difference) + "\nnearfork topo differs from the golden text; if it is right: run_shape.sh SHAPE --renew")


main()

#!/usr/bin/env python3
"""Writes an ACPI table that gives each socket of a machine clocks: Linux' driver acpi-cpufreq makes a policy of each socket.

usage: clocks_table.py SHAPE TABLE.aml
What the driver writes goes to a latch of the DMA controller, one a socket, from where it reads it back. No clock changes.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

from shapes import SHAPES

# Page registers of the channels that no device of ours uses: plain bytes to write and read.
LATCHES = [0x81, 0x82, 0x83, 0x87, 0x89, 0x8A, 0x8B, 0x8F]
MILLIWATTS_PER_MHZ = 10
TRANSITION_US = 10
ALL_TOGETHER = 0xFD  # one write sets the clock of all cores of a socket


def states_of(clocks):
    """The driver writes the number of the state that it wants."""
    return ", ".join(
        f"Package () {{ {mhz}, {mhz * MILLIWATTS_PER_MHZ}, {TRANSITION_US}, {TRANSITION_US}, {number}, {number} }}"
        for number, mhz in enumerate(clocks)
    )


def core_text(core, socket, cores, clocks):
    register = f"ResourceTemplate () {{ Register (SystemIO, 8, 0, 0x{LATCHES[socket]:x}) }}"
    return f"""
  Scope (\\_SB.CPUS.C{core:03X}) {{
    Name (_PPC, 0)
    Name (_PCT, Package () {{ {register}, {register} }})
    Name (_PSS, Package () {{ {states_of(clocks)} }})
    Name (_PSD, Package () {{ Package () {{ 5, 0, {socket}, 0x{ALL_TOGETHER:x}, {cores} }} }})
  }}"""


def table_text(shape):
    most = max(shape.cores)
    cores = [(socket * most + core, socket) for socket, count in enumerate(shape.cores) for core in range(count)]
    lines = ['DefinitionBlock ("", "SSDT", 2, "LAB", "CLOCKS", 1) {']
    lines += [f"  External (\\_SB.CPUS.C{core:03X}, ProcessorObj)" for core, _ in cores]
    lines += [core_text(core, socket, shape.cores[socket], shape.clocks) for core, socket in cores]
    return "\n".join(lines + ["}", ""])


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in SHAPES or not SHAPES[sys.argv[1]].clocks:
        sys.exit("usage: clocks_table.py SHAPE TABLE.aml; SHAPE must have clocks")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "clocks.asl"
        source.write_text(table_text(SHAPES[sys.argv[1]]), encoding="ascii")
        compiled = subprocess.run(
            ["iasl", "-p", str(source.with_suffix("")), str(source)], capture_output=True, text=True, check=False
        )
        table = source.with_suffix(".aml")
        if not table.exists():
            sys.exit(f"iasl makes no table:\n{compiled.stdout}{compiled.stderr}")
        Path(sys.argv[2]).write_bytes(table.read_bytes())


main()

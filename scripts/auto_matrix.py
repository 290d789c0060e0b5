"""Prints the matrix of scripts/auto_matrix.sh from what `nearfork sim --json` said of each cell.

usage: auto_matrix.py markdown|json FILE...
"""

import json
import sys
from typing import Any

MOST_STEADY = 1.01
MOST_ALL = 1.03
COUNTED = 40  # iterations, all trials included


def steady_ns(policy: dict[str, Any]) -> float:
    """The mean of the steady iterations in the second half."""
    half = policy["iterations"][len(policy["iterations"]) // 2:]
    times = [one["time_ns"] for one in half if one["steady"]] or [one["time_ns"] for one in half]
    return sum(times) / len(times)


def first_ns(policy: dict[str, Any]) -> float:
    return sum(one["time_ns"] + one["moving_ns"] for one in policy["iterations"][:COUNTED])


def cells_of(said: dict[str, Any]) -> list[dict[str, Any]]:
    made = []
    for machine in said["machines"]:
        by_name = {one["policy"]: one for one in machine["policies"]}
        auto = by_name["auto"]
        best = min((name for name in by_name if name != "auto"), key=lambda name: steady_ns(by_name[name]))
        steady = steady_ns(auto) / steady_ns(by_name[best])
        together = first_ns(auto) / first_ns(by_name["random"])
        made.append({
            "workload": said["workload"], "size": said["size"], "bytes": said["bytes"], "machine": machine["name"],
            "best_other": best, "steady": steady, "all": together,
            "beyond": steady > MOST_STEADY or together > MOST_ALL, "why": auto["why"][:1],
        })
    return made


def number_text(value: float, most: float) -> str:
    return f"{value:.3f}" + ("*" if value > most else "")


def markdown(cells: list[dict[str, Any]]) -> str:
    machines = sorted({cell["machine"] for cell in cells})
    rows = [f"| workload | MiB | {' | '.join(machines)} |", "|---|---:|" + "---|" * len(machines)]
    kinds = list(dict.fromkeys((cell["workload"], cell["bytes"]) for cell in cells))
    for workload, size_bytes in kinds:
        of_kind = {c["machine"]: c for c in cells if (c["workload"], c["bytes"]) == (workload, size_bytes)}
        texts = [f"{number_text(of_kind[m]['steady'], MOST_STEADY)} {number_text(of_kind[m]['all'], MOST_ALL)}"
                 if m in of_kind else "" for m in machines]
        rows.append(f"| {workload} | {size_bytes / 2**20:.1f} | {' | '.join(texts)} |")
    beyond = sum(cell["beyond"] for cell in cells)
    rows.append(f"\n{len(cells) - beyond} of {len(cells)} within both bounds; * is beyond one.")
    return "\n".join(rows)


def main() -> None:
    cells = []
    for name in sys.argv[2:]:
        with open(name, encoding="utf-8") as file:
            cells += cells_of(json.load(file))
    print(json.dumps({"version": 1, "cells": cells}, indent=1) if sys.argv[1] == "json" else markdown(cells))


main()

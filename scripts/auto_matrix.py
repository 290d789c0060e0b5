"""Prints the matrix of scripts/auto_matrix.sh from what `nearfork sim --json` said of each cell.

usage: auto_matrix.py markdown|json FILE...
"""

import json
import sys
from typing import Any

MOST_STEADY = 1.01
MOST_ALL = 1.03


def cells_of(said: dict[str, Any]) -> list[dict[str, Any]]:
    made = []
    for machine in said["machines"]:
        by_name = {one["policy"]: one for one in machine["policies"]}
        auto = by_name["auto"]
        best = min((name for name in by_name if name != "auto"), key=lambda name: by_name[name]["per_iteration"]["time_ns"])
        steady = auto["per_iteration"]["time_ns"] / by_name[best]["per_iteration"]["time_ns"]
        together = auto["total"]["time_ns"] / by_name["random"]["total"]["time_ns"]
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

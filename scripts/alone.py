#!/usr/bin/env python3
"""Compiles each source by itself, as a build without unity does, and stops behind the syntax: finds forgotten includes, and names
that shadow others. Sources that are built together never miss what a neighbour includes.

usage: scripts/alone.py BUILD_DIR [FOLDER...]   (BUILD_DIR: configured; FOLDER: src/plan, tools/sim, ...; default: all)
Exit status: 0 if there is no finding.
"""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

from source_commands import commands_of_sources


def finding(command):
    """What the compiler says of one source; empty: nothing."""
    line = command["command"].replace(" -c ", " -fsyntax-only -Wshadow -Werror ")
    ran = subprocess.run(line, shell=True, cwd=command["directory"], capture_output=True, text=True, check=False)
    return ran.stderr if ran.returncode else ""


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    os.chdir(pathlib.Path(__file__).resolve().parent.parent)
    build = pathlib.Path(sys.argv[1])
    folders = [pathlib.Path.cwd() / folder for folder in sys.argv[2:] or ["src", "workloads", "tools"]]
    commands = json.loads((build / "compile_commands.json").read_text())
    chosen = {}  # a source of two targets is compiled once
    for command in commands_of_sources(commands):
        if any(folder in pathlib.Path(command["file"]).parents for folder in folders):
            chosen.setdefault(command["file"], command)
    if not chosen:
        sys.exit(f"{build} compiles no source of {', '.join(map(str, folders))}")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = [text for text in pool.map(finding, chosen.values()) if text]
    print("".join(findings), end="")
    print(f"{len(chosen)} sources compiled alone; {len(findings)} cannot be, or have names that shadow others")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Runs clang-tidy over all sources of a room as one translation unit, room by room, and says where each finding is.

usage: scripts/tidy_units.py BUILD_DIR FOLDER...   (BUILD_DIR: configured for clang)
The sources of a room (src/plan, tools/sim, all of workloads) are put one after the other into one file: the analyzer looks only at
functions of a unit's main file. A source with a main() is a unit by itself. Exit status: 0 if there is no finding.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from source_commands import commands_of_sources

# Sources that follow each other include the same headers.
CHECKS = "-readability-duplicate-include"
# A name of one source may shadow a name of another one: here more of them are one unit than in builds.
NOT_HERE = "-Wno-shadow"
# The analyzer takes half of the time, and two thirds of src/ where it looks deeply into calls. It looks at what users link; tools
# run in tests under the address sanitizer. It gives up a function after 10,000 steps: src/sim and src/plan take 48 s so, 109 with
# its own limit, and 28 without it.
ANALYZED = "src"
DEPTH = "-Xclang -analyzer-config -Xclang mode=shallow,max-nodes=10000"


# As in builds (cmake/tools.cmake).
OF_SIMULATIONS = {"advice", "recordings", "reproduce", "sim"}
ALONE = {"graph_files", "mpi_ranks", "simulated", "topo", "validation"}


def room_of(source):
    """Most time goes into the headers of each unit: with 107 units, one a folder, all took 800 s of a core; with 31, 400."""
    parts = source.relative_to(pathlib.Path.cwd()).parts[:-1]
    if parts[0] == "workloads":
        return parts[:1]
    if parts[0] == "tools" and not ALONE.intersection(parts):
        return ("tools", "simulations" if OF_SIMULATIONS.intersection(parts[1:2]) else "others")
    return parts[:2]


def units_of(commands, folders):
    """The compile commands of the sources below `folders`, by the name of the unit that they belong to."""
    units = collections.defaultdict(list)
    for command in sorted(commands, key=lambda one: one["file"]):
        source = pathlib.Path(command["file"])
        if not any(source.is_relative_to(pathlib.Path(folder).resolve()) for folder in folders):
            continue
        has_main = re.search(r"^int main\(", source.read_text(), re.MULTILINE)
        parts = source.relative_to(pathlib.Path.cwd()).parts if has_main else room_of(source)
        units["_".join(parts).removesuffix(".cpp")].append(command)
    return units


class Unit:
    def __init__(self, name, commands, folder):
        self.path = folder / f"{name}.cpp"
        self.checks = CHECKS if name.startswith(ANALYZED) else f"{CHECKS},-clang-analyzer-*"
        self.starts = []  # of each source: its first line in the unit, and its name
        text = ""
        for one in commands:
            self.starts.append((text.count("\n") + 1, os.path.relpath(one["file"])))
            text += pathlib.Path(one["file"]).read_text()
        self.path.write_text(text)
        first = commands[0]
        line = first["command"].replace(first["file"], str(self.path))
        definitions = {word for one in commands for word in one["command"].split() if word.startswith("-D")}
        missing = sorted(definitions - set(line.split()))
        self.command = {"directory": first["directory"], "command": " ".join([line, *missing, NOT_HERE, DEPTH]), "file": str(self.path)}

    def place(self, match):
        """The place in the sources of a place in the unit."""
        line = int(match[1])
        start, name = max(one for one in self.starts if one[0] <= line)
        return f"{name}:{line - start + 1}:"

    def check(self):
        done = subprocess.run(
            ["clang-tidy-19", "-quiet", "-p", self.path.parent, f"--config-file={os.path.abspath('.clang-tidy')}",
             f"-checks={self.checks}", self.path],
            capture_output=True, text=True)
        return done.returncode, re.sub(re.escape(str(self.path)) + r":(\d+):", self.place, done.stdout)


def main():
    commands = json.loads((pathlib.Path(sys.argv[1]) / "compile_commands.json").read_text())
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as crew:
        named = sorted(units_of(commands_of_sources(commands), sys.argv[2:]).items(), key=lambda unit: -len(unit[1]))
        units = [Unit(name, members, pathlib.Path(folder)) for name, members in named]
        (pathlib.Path(folder) / "compile_commands.json").write_text(json.dumps([one.command for one in units]))
        failed = False
        for status, text in crew.map(Unit.check, units):
            failed = failed or status != 0
            print(text, end="", flush=True)
        sys.exit(1 if failed or not units else 0)


main()

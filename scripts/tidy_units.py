#!/usr/bin/env python3
"""Writes one translation unit for each folder of sources, and the compile_commands.json that clang-tidy reads for them.

usage: scripts/tidy_units.py BUILD_DIR UNITS_DIR FOLDER...
Prints the paths of the units, the largest folder first. A source with a main() is a unit by itself.
"""

import collections
import json
import pathlib
import re
import sys


def units_of(commands, folders):
    """The compile commands of the sources below `folders`, by the name of the unit that they belong to."""
    units = collections.defaultdict(list)
    for command in commands:
        source = pathlib.Path(command["file"])
        if not any(source.is_relative_to(pathlib.Path(folder).resolve()) for folder in folders):
            continue
        has_main = re.search(r"^int main\(", source.read_text(), re.MULTILINE)
        place = source.relative_to(pathlib.Path.cwd()) if has_main else source.parent.relative_to(pathlib.Path.cwd())
        units["_".join(place.parts)].append(command)
    return units


def written(name, commands, folder):
    """The unit of all these sources, with the flags of the first one and the definitions of all."""
    first = commands[0]
    unit = folder / f"{name.removesuffix('.cpp')}.cpp"
    unit.write_text("".join(f'#include "{one["file"]}"\n' for one in sorted(commands, key=lambda one: one["file"])))
    line = first["command"].replace(first["file"], str(unit))
    definitions = {word for one in commands for word in one["command"].split() if word.startswith("-D")}
    missing = sorted(definitions - set(line.split()))
    return {"directory": first["directory"], "command": " ".join([line, *missing]), "file": str(unit)}


def main():
    build, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    commands = json.loads((build / "compile_commands.json").read_text())
    units = sorted(units_of(commands, sys.argv[3:]).items(), key=lambda unit: -len(unit[1]))
    made = [written(name, members, folder) for name, members in units]
    (folder / "compile_commands.json").write_text(json.dumps(made))
    print("\n".join(one["file"] for one in made))


main()

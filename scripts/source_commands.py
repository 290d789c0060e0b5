"""How each source is compiled, from the compile commands of a build whose units are of many sources."""

import pathlib
import re

# What CMake adds for precompiled headers: a header must not be found by that alone.
PRECOMPILED = re.compile(r" -Winvalid-pch| -Xclang -include(-pch)? -Xclang \S+")


def commands_of_sources(commands):
    """Each source's own command: CMake names only the files of its unity builds, which include the sources."""
    for command in commands:
        sources = [command["file"]]
        if "/Unity/" in command["file"]:
            sources = re.findall(r'^#include "(.+)"$', pathlib.Path(command["file"]).read_text(), re.MULTILINE)
        for source in sources:
            line = PRECOMPILED.sub("", command["command"].replace(command["file"], source))
            yield {"directory": command["directory"], "command": line, "file": source}

#!/usr/bin/env bash
# A project with nearfork below it installs its own files alone. Nothing is compiled.
# usage: below_a_parent.sh BUILD_DIR; needs CXX
set -euo pipefail
build=$1
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$build"
cmake -G Ninja -S "$here/parent" -B "$build" -DCMAKE_CXX_COMPILER="$CXX" -DNEARFORK_SOURCES="$(cd "$here/../.." && pwd)"
cmake --install "$build" --prefix "$build/prefix"
installed=$(cd "$build/prefix" && find . -type f)
[ "$installed" = ./share/parent/CMakeLists.txt ] || { echo "The parent also installed files of nearfork: $installed" >&2; exit 1; }

#!/usr/bin/env bash
# Runs clang-tidy over our sources, as configured in .clang-tidy. Any finding fails.
# usage: scripts/tidy.sh BUILD_DIR [FOLDER...]   (BUILD_DIR: configured for clang; FOLDER: src/plan, tools/sim, ...; default: all)
#
# The sources of one room are one translation unit here, since most of the time goes into the headers that they share. So names
# in anonymous namespaces differ within a room: where two are alike, clang-tidy says "redefinition".
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
shift
[ $# -gt 0 ] || set -- src workloads tools
exec scripts/tidy_units.py "$build" "$@"

#!/usr/bin/env bash
# Configures a preset and builds it, quietly unless it fails.
# usage: scripts/build.sh PRESET [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
log=build/$preset.log
mkdir -p build

# Where there is a compiler cache, a second build of the same sources takes a fraction of the first one's time.
if [ -z "${CMAKE_CXX_COMPILER_LAUNCHER:-}" ] && command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi

started=$SECONDS
echo "Building $preset ..."
if ! { cmake --preset "$preset" && cmake --build --preset "$preset" -j "$(nproc)" ${1:+--target "$@"}; } >"$log" 2>&1; then
  grep -E -A12 'FAILED|error:|CMake Error' "$log" | head -60 >&2 || tail -40 "$log" >&2
  echo "Building $preset failed; all of its output is in $log" >&2
  exit 1
fi
echo "Building $preset took $((SECONDS - started)) s"

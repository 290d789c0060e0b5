#!/usr/bin/env bash
# Builds the whole library and the examples by compilers that the tests do not use, with all warnings as errors, and runs the examples.
# Compilers that are not installed are named and left out; their packages are g++-11, clang-14, clang-16, and libc++-19-dev with
# libc++abi-19-dev for the last one.
# usage: scripts/other_compilers.sh ["COMPILER [FLAG]"...]
set -euo pipefail
cd "$(dirname "$0")/.."
compilers=("$@")
[ $# -gt 0 ] || compilers=(g++-11 clang++-14 clang++-16 "clang++-19 -stdlib=libc++")

for words in "${compilers[@]}"; do
  read -r compiler flag <<<"$words"
  command -v "$compiler" >/dev/null || { echo "$words: not installed"; continue; }
  build=build/other/${words// /}
  # Sources of a folder together: a quarter of the time. The tests look for forgotten includes.
  cmake -G Ninja -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS="$flag" \
    -DNEARFORK_WERROR=ON -DNEARFORK_UNITY=FOLDERS -DNEARFORK_BUILD_TOOLS=OFF -DNEARFORK_BUILD_TESTS=OFF >/dev/null
  cmake --build "$build" -j "$(nproc)" >"$build/log" || { grep -E -A8 'error:' "$build/log" | head -40 >&2; exit 1; }
  for source in examples/*.cpp; do "$build/examples/$(basename "$source" .cpp)"; done
  echo "$words: library and examples build without a warning, and the examples' answers are right"
done

#!/usr/bin/env bash
# Applies each named mutant of tests/mutants to a copy of the headers, builds the model tests against it, and expects the test
# that the patch names to fail. A survivor, and a patch that no longer applies, is an error.
# usage: scripts/mutants.sh [NAME...]
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compiler=${CXX:-g++-12}
flags=(-std=c++20 -O1 -DNEARFORK_MODEL)

# What does not change is compiled once: the explorer, and GoogleTest's header, which takes a third of the time of each mutant.
mkdir "$work/same"
echo '#include <gtest/gtest.h>' >"$work/same/gtest.hpp"
"$compiler" "${flags[@]}" -x c++-header "$work/same/gtest.hpp" -o "$work/same/gtest.hpp.gch"
flags+=(-include "$work/same/gtest.hpp")
"$compiler" "${flags[@]}" -I tests -I include -I src -c tests/model/explorer.cpp -o "$work/explorer.o"

patch_of() { echo tests/mutants/*/"$1".patch; }
field() { sed -n "s/^$2: //p" "$(patch_of "$1")"; }

# Prints what became of one mutant; fails if it lives.
try_mutant() {
  local name=$1 test tree=$work/$1 verdict=killed
  test=$(field "$name" "Killed by")
  mkdir -p "$tree"
  find include src -name '*.hpp' -print0 | xargs -0 cp --parents -t "$tree"
  if ! patch -s -p1 -d "$tree" <"$(patch_of "$name")" >/dev/null 2>&1; then
    verdict="PATCH DOES NOT APPLY"
  elif ! "$compiler" "${flags[@]}" -I tests -I "$tree/include" -I "$tree/src" "$(find tests/model -name "${test%%_model.*}_test.cpp")" \
    "$work/explorer.o" -lgtest -lgtest_main -o "$tree/model" 2>"$tree/log"; then
    verdict="DOES NOT COMPILE"
  elif timeout 60 "$tree/model" --gtest_filter="$test" >"$tree/log" 2>&1; then
    verdict="SURVIVED"
  elif ! grep -q "\[  FAILED  \] $test" "$tree/log"; then
    verdict="NOT JUDGED: no such test, a crash, or out of time"
  fi
  printf '%-32s %-10s %s\n' "$name" "$verdict" "$test"
  [ "$verdict" = killed ]
}

if [ $# -gt 0 ]; then names=("$@"); else
  names=()
  for patch in tests/mutants/*/*.patch; do names+=("$(basename "$patch" .patch)"); done
fi

alive=0
printf '%s\n' "${names[@]}" >"$work/names"
export -f try_mutant field patch_of
export work compiler root
export flags_text="${flags[*]}"
xargs -P "$(nproc)" -I{} bash -c 'flags=($flags_text); cd "$root"; try_mutant {}' <"$work/names" || alive=1
if [ "$alive" -ne 0 ]; then
  echo "Not all mutants were killed." >&2
  exit 1
fi
echo "All ${#names[@]} mutants were killed."

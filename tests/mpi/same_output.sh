#!/bin/sh
# usage: same_output.sh COMMAND LAUNCHER WORDS... : does `nearfork sim` under the launcher print what it prints alone?
set -eu
command=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
machine='package:2 [numa] l3:1(size=256KiB) core:2 pu:1'
larger='package:4 [numa] l3:1(size=256KiB) core:2 pu:1'
for form in --json --csv --explain; do
  "$command" sim heat --size test --policy all --machine "$machine" --machine "$larger" --seeds 2 $form > "$folder/alone"
  "$@" "$command" sim heat --size test --policy all --machine "$machine" --machine "$larger" --seeds 2 $form > "$folder/shared"
  cmp "$folder/alone" "$folder/shared"
done
"$command" sim heat-mpi --size test --machine "8 x $machine, link 1 GB/s 2 us" --policy random,laws --chart > "$folder/alone"
"$@" "$command" sim heat-mpi --size test --machine "8 x $machine, link 1 GB/s 2 us" --policy random,laws --chart > "$folder/shared"
cmp "$folder/alone" "$folder/shared"
# A wrong word is refused, and does not hang.
if "$@" "$command" sim heat --size test --policy no-such --machine "$machine" > "$folder/shared" 2> "$folder/errors"; then exit 1; fi
grep -q no-such "$folder/errors"

#!/usr/bin/env bash
# Writes docs/VALIDATION.md and its pictures from new runs: misses beside cachegrind's, times beside this machine's, the papers'
# experiments beside the papers' numbers. half an hour on two cores; with "quick" five minutes, with smaller inputs than the papers', and the page says so.
# The matrix of auto takes hours and is not run again: docs/validation/auto.md has one, made by scripts/auto_matrix.sh. Nor is BATS at
# the paper's size: docs/validation/bats.md says by which commands it was.
# usage: scripts/validation.sh [quick]
set -euo pipefail
cd "$(dirname "$0")/.."
extent=()
if [ "${1:-}" = quick ]; then extent=(--quick); fi
scripts/build.sh release nearfork_command
nearfork=build/release/nearfork
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT

status=0
scripts/validate_cachegrind.sh >"$parts/cachegrind" || status=$?
if [ "$status" -ne 0 ] && [ "$status" -ne 3 ]; then exit "$status"; fi # 3: counted, and more than 2% off; the table says so
scripts/validate_host.sh >"$parts/host"
for paper in a-cab laws saws; do
  echo "reproducing $paper" >&2
  $nearfork reproduce "$paper" "${extent[@]}" --markdown --svg "$parts/pictures" >"$parts/$paper"
done
# The paper's inputs are 16 GiB for 30 contenders; with 1/128 of them it takes four minutes, and the page says so.
echo "reproducing bats" >&2
$nearfork reproduce bats --quick --markdown --svg "$parts/pictures" >"$parts/bats"
# In full most of an hour; docs/validation/drebes.md has programs of the paper's size.
echo "reproducing drebes" >&2
$nearfork reproduce drebes --quick --markdown --svg "$parts/pictures" >"$parts/drebes"

mkdir -p docs/validation
cp "$parts"/pictures/*.svg docs/validation/
pictures() { # PREFIX
  for picture in docs/validation/"$1"-*.svg; do
    printf '\n![%s](validation/%s)\n' "$(basename "$picture" .svg)" "$(basename "$picture")"
  done
}
{
  cat docs/validation/how.md
  printf '\n## Misses beside cachegrind\n\n'
  sed 1,2d "$parts/cachegrind"
  printf '\n## Times beside this machine'"'"'s\n\n'
  sed 1,2d "$parts/host"
  echo
  cat "$parts/a-cab"
  pictures acab
  echo
  cat "$parts/laws"
  pictures laws
  echo
  cat "$parts/saws"
  pictures saws
  echo
  cat "$parts/bats"
  pictures bats
  echo
  cat docs/validation/bats.md
  echo
  cat "$parts/drebes"
  pictures drebes
  echo
  cat docs/validation/drebes.md
  echo
  cat docs/validation/auto.md
  cat docs/validation/scale.md
  cat docs/validation/differences.md
} >docs/VALIDATION.md
echo "docs/VALIDATION.md is renewed" >&2

#!/usr/bin/env bash
# Builds bench/styles with both compilers, two sets of flags and four starts within a cache line, and measures what a fork costs.
# usage: scripts/bench_styles.sh [STYLE...] [--quick] [--lace DIR] [--json FILE] [--markdown FILE] ...   --help lists all; with --help nothing is built
set -euo pipefail
asked_from=$PWD
cd "$(dirname "$0")/.."
case " $* " in
  *" --help "* | *" -h "*) [ -x build/bench/compare_styles ] || scripts/build.sh bench compare_styles >&2 ;;
  *)
    scripts/build.sh bench compare_styles styles
    scripts/build.sh bench-clang styles
    ;;
esac

# A style whose programs do not start where they should would make the table lie.
check_starts() {
  local folder=$1 found="" start
  for start in 0 16 32 48; do
    found+=$(nm -C "$folder/$start" | awk -v P="$folder/$start" '$2 == "T" && $3 ~ /^styles::(.*::)?solve\(/ {
      print (index("0123456789abcdef", substr($1, length($1) - 1, 1)) - 1) % 4 * 16 }')
    found+=" "
  done
  if [ "$(tr ' ' '\n' <<<"$found" | sed '/^$/d' | sort -n | tr '\n' ' ')" != "0 16 32 48 " ]; then
    echo "bench_styles.sh: the functions of $folder start at $found within a cache line, not at 0 16 32 48" >&2
    exit 2
  fi
}
if [[ " $* " != *" --help "* && " $* " != *" -h "* ]]; then
  for folder in build/bench/styles/*/*/* build/bench-clang/styles/*/*/*; do check_starts "$folder"; done
fi
program=$PWD/build/bench/compare_styles
builds=$PWD/build/bench,$PWD/build/bench-clang
cd "$asked_from" # paths are the caller's
exec "$program" "$@" --builds "$builds"

#!/usr/bin/env bash
# Checks that the sources are formatted as .clang-format says, and that no line of them has more than 120 columns: clang-format leaves
# comments as they are. With --fix, formats them.
# usage: scripts/format.sh [--fix]
set -euo pipefail
cd "$(dirname "$0")/.."
most_columns=120
sources() { git ls-files -z '*.cpp' '*.hpp'; }

if [ "${1:-}" = --fix ]; then
  sources | xargs -0 -P "$(nproc)" -n 32 clang-format-19 -i
  exit
fi
status=0
sources | xargs -0 -P "$(nproc)" -n 32 clang-format-19 --dry-run -Werror || status=1
if sources | LC_ALL=C.UTF-8 xargs -0 grep -nHE "^.{$((most_columns + 1)),}"; then
  echo "These lines have more than $most_columns columns." >&2
  status=1
fi
exit "$status"

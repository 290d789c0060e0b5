#!/usr/bin/env bash
# Checks that the sources are formatted as .clang-format says, and that no comment reaches beyond column 120: clang-format leaves
# comments as they are. With --fix, formats the sources.
# usage: scripts/format.sh [--fix]
set -euo pipefail
cd "$(dirname "$0")/.."
most_columns=120
sources() { find bench examples include src tests tools workloads -name '*.[ch]pp' -print0; }

if [ "${1:-}" = --fix ]; then
  sources | xargs -0 -P "$(nproc)" -n 32 clang-format-19 -i
  exit
fi
status=0
sources | xargs -0 -P "$(nproc)" -n 32 clang-format-19 --dry-run -Werror || status=1
if sources | LC_ALL=C.UTF-8 xargs -0 grep -nHE "^.{$((most_columns + 1)),}" | grep -E '^[^:]*:[0-9]+:.*//'; then
  echo "These comments reach beyond column $most_columns." >&2
  status=1
fi
exit "$status"

#!/usr/bin/env bash
# Runs the lab's machines one after the other, and says which failed.
# usage: tests/numa_lab/run_all.sh [SHAPE...]   all if none is named
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ $# -gt 0 ]; then shapes=("$@"); else mapfile -t shapes < <(tests/numa_lab/shapes.py --list); fi
failed=()
for shape in "${shapes[@]}"; do
  status=0
  tests/numa_lab/run_shape.sh "$shape" || status=$?
  if [ $status -eq 77 ]; then exit 77; fi
  if [ $status -ne 0 ]; then failed+=("$shape"); fi
done
if [ ${#failed[@]} -gt 0 ]; then
  echo "numa lab: ${#failed[@]} of ${#shapes[@]} machines failed: ${failed[*]}"
  exit 1
fi
echo "numa lab: all ${#shapes[@]} machines pass"

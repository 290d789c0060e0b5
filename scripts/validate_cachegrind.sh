#!/usr/bin/env bash
# Last-level misses of the simulator beside those that Valgrind's cachegrind counts, for the same programs, data and
# geometry. Prints a Markdown table; ends with status 3 if one of them is more than 2% off.
# usage: scripts/validate_cachegrind.sh
set -euo pipefail
cd "$(dirname "$0")/.."
command -v valgrind >/dev/null || { echo "$0: valgrind is missing: apt-get install valgrind" >&2; exit 1; }
scripts/build.sh release nearfork_cache_check >&2
check=build/release/cache_check
l1=32768 last=1048576 ways=16
counts=$(mktemp -d)
trap 'rm -rf "$counts"' EXIT

# Data misses of reads and writes; the columns of the summary are those that the "events:" line names.
misses() { # WORKLOAD SIZE ROUNDS
  valgrind --tool=cachegrind --cache-sim=yes --I1="$l1,$ways,64" --D1="$l1,$ways,64" --LL="$last,$ways,64" --log-file=/dev/null \
    --cachegrind-out-file="$counts/out" "$check" run "$1" "$2" "$3" >&2
  awk '/^events:/ {for (i = 2; i <= NF; i++) name[i] = $i}
       /^summary:/ {for (i = 2; i <= NF; i++) if (name[i] ~ /^DLm[rw]$/) sum += $i; print sum}' "$counts/out"
}

# Data of two to four times the last level, so that there are misses; rounds until the caches have seen all of it.
while read -r workload size few many; do
  echo "cachegrind: $workload $size" >&2
  echo "$workload $size $few $(misses "$workload" "$size" "$few") $many $(misses "$workload" "$size" "$many")"
done >"$counts/all" <<'END'
heat rows=512,columns=512 2 6
heat-ir rows=512,columns=512 2 6
sor rows=512,columns=512 2 6
sor-ir rows=512,columns=512 2 6
9p rows=512,columns=512 2 6
ge size=512 2 8
ge-ir size=512 2 8
6p planes=40,rows=64,columns=64 2 6
25p planes=40,rows=64,columns=64 2 6
mergesort keys=131072 1 3
matmul n=320 1 2
fft log2_points=15 1 3
END
"$check" compare "$l1" "$last" "$ways" <"$counts/all"

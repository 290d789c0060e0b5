#!/usr/bin/env bash
# What it costs to compile programs of nested generic lambdas: each kernel of bench/compile/kernels is compiled with the layer of
# nearfork and with that of oneTBB, with the same flags, linked, and run, which checks its answer. Prints a table: seconds of processor
# time (the least of all repetitions, which take turns) and bytes of the object file's text and constants.
# usage: scripts/bench_compile.sh [--compiler g++-12] [--reps 3] [--build build/bench] [KERNEL...]
set -euo pipefail
cd "$(dirname "$0")/.."
compiler=g++-12 reps=3 library=build/bench
while [[ ${1:-} == --* ]]; do
  case $1 in
    --compiler) compiler=$2 ;;
    --reps) reps=$2 ;;
    --build) library=$2 ;;  # a build that has libnearfork.a
    *) sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2 ;;
  esac
  shift 2
done
flags=(-std=c++20 -O2 -DNDEBUG -Wall -Wextra -Werror)
sources=bench/compile
kernels=("$@")
if [ ${#kernels[@]} -eq 0 ]; then
  for source in "$sources"/kernels/*.cpp; do kernels+=("$(basename "$source" .cpp)"); done
fi
[ -e "$library/libnearfork.a" ] || { echo "$library has no libnearfork.a; build it: scripts/build.sh bench nearfork_static" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

compile() {  # KERNEL LAYER: writes the seconds of processor time
  local TIMEFORMAT='%U %S'
  { time "$compiler" "${flags[@]}" -I"$sources" -I"$sources/$2" -Iinclude -c "$sources/kernels/$1.cpp" \
    -o "$folder/$2.o" 2>"$folder/messages"; } 2>"$folder/time" || { cat "$folder/messages" >&2; return 1; }
  awk '{ print $1 + $2 }' "$folder/time"
}

link_and_run() {  # KERNEL LAYER
  local libraries=(-ltbb)
  [ "$2" = onetbb ] || libraries=("$library/libnearfork.a" -lboost_context -ldl)
  "$compiler" "$folder/$2.o" -o "$folder/$2" "${libraries[@]}" -pthread
  "$folder/$2" || { echo "$1 with $2: the answer is wrong" >&2; return 1; }
}

bytes_of() { size -B "$1" | awk 'NR == 2 { print $1 }'; }

measure() {  # KERNEL: writes seconds and bytes, nearfork first
  local rep one
  local -A seconds=([nearfork]=1e9 [onetbb]=1e9)
  for ((rep = 0; rep < reps; ++rep)); do
    for one in nearfork onetbb; do
      seconds[$one]=$(printf '%s\n' "${seconds[$one]}" "$(compile "$1" "$one")" | sort -g | head -1)
    done
  done
  for one in nearfork onetbb; do link_and_run "$1" "$one"; done
  echo "$1 ${seconds[nearfork]} ${seconds[onetbb]} $(bytes_of "$folder/nearfork.o") $(bytes_of "$folder/onetbb.o")"
}

as_row() {  # lines of measure(); with a name, their sum
  awk -v name="${1:-}" '
    function row(n, s, t, b, c) { printf "| %s | %.2f | %.2f | %.2f | %d | %d | %.2f |\n", n, s, t, s / t, b, c, b / c }
    name == "" { row($1, $2, $3, $4, $5) }
    { s += $2; t += $3; b += $4; c += $5 }
    END { if (name != "") row(name, s, t, b, c) }'
}

"$compiler" --version | head -1
echo
echo '| kernel | nearfork, s | oneTBB, s | ratio | nearfork, bytes | oneTBB, bytes | ratio |'
echo '|---|---:|---:|---:|---:|---:|---:|'
for kernel in "${kernels[@]}"; do
  measure "$kernel" >"$folder/row"
  as_row <"$folder/row"
  cat "$folder/row" >>"$folder/rows"
done
as_row total <"$folder/rows"

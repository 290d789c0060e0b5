#!/usr/bin/env bash
# What the policies cost and gain on this machine, every answer checked. Under each heading stands what is meant to hold of
# the column "x first", which says how many times as fast as the table's first row a contender is.
# usage: scripts/bench_policies.sh [REPETITIONS]
set -euo pipefail
cd "$(dirname "$0")/.."
reps=${1:-11}
scripts/build.sh bench nearfork_command

tables() {
  printf '\n=== %s\n\n' "$1"
  shift
  build/bench/nearfork bench --workers 2 "$@"
}

tables "Memory-bound, each policy beside random: on one domain at least 0.97" \
  heat sor ge 9p 6p 25p --policy all --contender nearfork --reps "$reps"
tables "Bound by the cores, each policy beside random: on one domain at least 0.98" \
  fib nqueens mandelbrot --policy all --contender nearfork --reps "$reps"
tables "64 MiB, oneTBB's affinity partitioner and OpenMP's static loop beside auto: at most 1.03" \
  heat sor 9p 6p 25p --policy auto --contender nearfork,tbb,omp-static --size 64mib --reps "$reps"
tables "1 GiB, the same" \
  heat sor 9p 6p 25p --policy auto --contender nearfork,tbb,omp-static --size 1gib --reps "$(((reps + 1) / 2))"
# A plan wants several domains; described ones are mapped onto the cores that there are.
export NEARFORK_MACHINE='package:2 [numa] l3:1(size=16MiB) core:1 pu:1'
# laws gives a subtree to one domain for good, so it waits where two are unequal, as those of nqueens are; auto finds that out.
tables "Bound by the cores, iterations under a plan for two virtual domains beside random: laws-nc at least 0.99" \
  fib nqueens mandelbrot --size fib:n=27 --policy random,laws-nc,laws,auto --contender nearfork --reps "$reps" --explain

#!/usr/bin/env bash
# Builds every contender with both compilers (and those in Rust where there is a cargo), and runs them side by side.
# usage: scripts/bench.sh [ARGUMENTS OF compare]   e.g. scripts/bench.sh fib --reps 5
#        scripts/bench.sh --markdown docs/PERFORMANCE.md renews the page from this run
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/build.sh bench
scripts/build.sh bench-clang
scripts/contenders_rust.sh
builds=build/bench,build/bench-clang
if [ -d build/rust/contenders ]; then builds+=,build/rust; fi
build/bench/compare "$@" --builds "$builds" --latencies build/bench/latencies --json build/bench.json
# What has no contenders is left out where problems are named: small blocks beside malloc, the simulator's speed, what recordings
# and replays cost.
if [ $# -eq 0 ]; then
  for one in node_pools simulated_accesses recording_cost replanning dataflow_replay dependence_patterns short_loops; do
    printf '\n%s\n' "$one"
    "build/bench/$one"
  done
fi

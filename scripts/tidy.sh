#!/usr/bin/env bash
# Runs clang-tidy over our sources, as configured in .clang-tidy. Any finding fails.
# usage: scripts/tidy.sh BUILD_DIR   (one that was configured for clang)
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
run-clang-tidy-19 -quiet -p "$build" -j "$(nproc)" "^$PWD/(src|workloads|tools)/.*\.cpp$"

#!/usr/bin/env bash
# Builds the contenders in Rust, where there is a cargo that can: they are then beside the others in build/rust/contenders.
# Without them the comparison goes on, and says which are missing.
set -euo pipefail
cd "$(dirname "$0")/.."
log=$PWD/build/rust.log
mkdir -p build
if ! command -v cargo >/dev/null; then
  echo "No cargo: the contenders in Rust (rayon, chili) are left out. rustup or Debian's newer releases have one." >&2
  exit 0
fi
echo "Building the contenders in Rust ..."
# The lock file stays out of the tree: it says where the crates came from.
rm -rf build/rust/source && mkdir -p build/rust/source
cp -r bench/. build/rust/source/
# As for the other contenders (cmake/bench.cmake): every function starts a cache line.
export RUSTFLAGS='-C llvm-args=-align-all-functions=6'
if ! cargo build --quiet --release --manifest-path build/rust/source/Cargo.toml --target-dir build/rust/target >"$log" 2>&1; then
  tail -5 "$log" >&2
  echo "They are left out (rayon wants Rust 1.80 or newer, and the crates a way to crates.io); all of cargo's output is in $log" >&2
  exit 0
fi
mkdir -p build/rust/contenders
rustc --version | cut -d' ' -f1,2 >build/rust/contenders/label
for source in bench/*/rayon.rs bench/*/chili.rs; do
  problem=$(basename "$(dirname "$source")") contender=$(basename "$source" .rs)
  mkdir -p "build/rust/contenders/$problem"
  cp "build/rust/target/release/${problem}_$contender" "build/rust/contenders/$problem/$contender"
done

#!/usr/bin/env bash
# Builds the library, the examples and its contract tests for AArch64 by Debian's cross compiler, and runs them under QEMU's user
# mode: five minutes to build, three to run. Nothing is installed: the libraries for AArch64 are unpacked below build/aarch64.
# QEMU's user mode starts no further AArch64 program, knows no limits of memory, and is slow: tests that need more are left out.
# Packages: g++-12-aarch64-linux-gnu, qemu-user-static.
# usage: scripts/aarch64.sh [TEST_SUITE...]    (default: all suites of the contract tests)
set -euo pipefail
cd "$(dirname "$0")/.."
compiler=aarch64-linux-gnu-g++-12
for needed in $compiler qemu-aarch64-static; do
  command -v "$needed" >/dev/null || { echo "$needed is missing: apt-get install g++-12-aarch64-linux-gnu qemu-user-static" >&2; exit 1; }
done
build=$PWD/build/aarch64 root=$PWD/build/aarch64/root
libraries=(libboost-context1.74-dev libboost-context1.74.0 libboost1.74-dev libc6 libc6-dev libcrypt1 libcrypt-dev libfmt-dev libfmt9
  libgcc-s1 libgtest-dev libgmock-dev libhwloc-dev libhwloc15 libicu72 libltdl7 liblzma5 libpciaccess0 libprotozero-dev librapidcheck-dev
  libstdc++6 libudev1 libxml2 linux-libc-dev nlohmann-json3-dev zlib1g)

if [ ! -e "$root/complete" ]; then
  echo "Fetching libraries for AArch64 ..."
  rm -rf "$root"
  mkdir -p "$root" "$build"/debs "$build"/apt/{state/lists,cache/archives}
  own=(-o Dir::State="$build/apt/state" -o Dir::State::status=/dev/null -o Dir::Cache="$build/apt/cache" -o APT::Architecture=arm64
    -o APT::Architectures::=arm64 -o APT::Sandbox::User="$(id -un)" -qq)
  apt-get "${own[@]}" update
  (cd "$build/debs" && apt-get "${own[@]}" download "${libraries[@]}")
  for package in "$build"/debs/*.deb; do dpkg -x "$package" "$root"; done
  touch "$root/complete"
fi

cat >"$build/toolchain.cmake" <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER $compiler)
set(CMAKE_SYSROOT $root)
set(CMAKE_FIND_ROOT_PATH $root)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_EXE_LINKER_FLAGS "-Wl,-rpath-link,$root/usr/lib/aarch64-linux-gnu:$root/lib/aarch64-linux-gnu")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static;-L;$root)
END
echo "Building for AArch64 ..."
cmake -G Ninja -S . -B "$build/cmake" -DCMAKE_TOOLCHAIN_FILE="$build/toolchain.cmake" -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1 -D_GLIBCXX_ASSERTIONS" -DNEARFORK_ASSERTS=ON -DNEARFORK_WERROR=ON -DNEARFORK_UNITY=FOLDERS \
  -DNEARFORK_BUILD_TOOLS=OFF -DNEARFORK_CONTENDERS=OFF -DNEARFORK_SHARED=OFF -DNEARFORK_MPI=OFF >"$build/log" 2>&1 &&
  cmake --build "$build/cmake" -j "$(nproc)" --target examples contract >>"$build/log" 2>&1 ||
  { grep -aE -A8 'error:|CMake Error' "$build/log" | head -40 >&2; echo "All output is in $build/log" >&2; exit 1; }

not_there='*death_test.*:memory_limits.*:runtime_outputs.of_the_processes_own*:runtime.refuses_to_run_in_the_child_of_a_fork'
not_there+=':*short_loops.quick_bodies_get_many_tiles*' # none is quick

run() { timeout 300 qemu-aarch64-static -L "$root" "$@"; }
for source in examples/*.cpp; do run "$build/cmake/examples/$(basename "$source" .cpp)"; done
suites=("$@")
for suite in "${suites[@]}"; do
  tests=$(run "$build/cmake/tests/contract" --gtest_filter="$suite.*" --gtest_list_tests | sed -n '/^  /p')
  [ -n "$tests" ] || { echo "There is no test suite $suite; all: $build/cmake/tests/contract --gtest_list_tests" >&2; exit 2; }
done
if [ $# -eq 0 ]; then
  mapfile -t suites < <(run "$build/cmake/tests/contract" --gtest_filter="-$not_there" --gtest_list_tests | sed -n 's/^\([^ ]*\)\..*/\1/p')
fi
failed=()
for suite in "${suites[@]}"; do # a process for each: user mode keeps tables of all addresses that a process ever had
  log=$build/$(tr / _ <<<"$suite").log
  if ! run "$build/cmake/tests/contract" --gtest_filter="$suite.*-$not_there" >"$log" 2>&1; then
    failed+=("$suite")
    echo "$suite: $(grep -a '^\[  FAILED  \].* ms)' "$log" | tr '\n' ' ')($log)"
  fi
done
echo "AArch64 under QEMU's user mode: the examples and ${#suites[@]} suites ran, ${#failed[@]} failed${failed[*]:+: ${failed[*]}}"
[ ${#failed[@]} -eq 0 ]

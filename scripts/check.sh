#!/usr/bin/env bash
# Builds every suite and runs them all in one ctest, so that its closing lines speak for everything.
# usage: scripts/check.sh quick|full
#   quick: gcc with asserts, clang with address, undefined-behaviour and thread sanitizers for what programs link, the mutants
#   full:  all rooms with address and undefined-behaviour sanitizers, by gcc those that have threads, and also the long set, every
#          contender of bench/ once at a small size, programs under sanitizers with the library as it is released, two machines of
#          the NUMA lab where QEMU can be had, each source of the library by itself, three minutes, and clang-tidy, five minutes
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null

case ${1:-} in
  quick) presets=(dev-unity asan-ubsan-core-clang tsan-clang) selection=(-LE long) ;;
  # The library of a release stands in for that with asserts in the consumers under sanitizers, which takes four minutes. Unit
  # tests of rooms without threads have one build: two take six minutes more.
  full) presets=(dev-unity-core asan-ubsan-clang tsan-clang) selection=(-E '^sanitized_consumer\.') ;;
  *) echo "usage: $0 quick|full" >&2; exit 2 ;;
esac

for preset in "${presets[@]}"; do
  scripts/build.sh "$preset"
done
if [ "$1" = full ]; then
  scripts/build.sh "${presets[0]}" compare compare_styles
  scripts/build.sh bench-contenders
  # If it cannot, it says why here; its tests are then skipped, or fail.
  tests/numa_lab/build_guest.sh "build/${presets[0]}" || true
fi

# A test folder that joins the builds of the presets and the checks that belong to none.
mkdir -p build/check
{
  for preset in "${presets[@]}"; do
    echo "subdirs(\"$PWD/build/$preset\")"
  done
  echo "add_test(contenders \"$PWD/build/${presets[0]}/compare\" --quick --reps 1 --builds \"$PWD/build/bench-contenders\")"
  echo 'set_tests_properties(contenders PROPERTIES PROCESSORS 2 TIMEOUT 1200 LABELS long)'
  echo "add_test(tidy \"$PWD/scripts/tidy.sh\" \"$PWD/build/asan-ubsan-clang\")"
  echo 'set_tests_properties(tidy PROPERTIES PROCESSORS 2 TIMEOUT 1800 LABELS long)'
  # All of tools/ and workloads/ too would take three minutes more.
  echo "add_test(alone \"$PWD/scripts/alone.py\" \"$PWD/build/asan-ubsan-clang\" src)"
  echo 'set_tests_properties(alone PROPERTIES PROCESSORS 2 TIMEOUT 1200 LABELS long)'
  echo "add_test(format \"$PWD/scripts/format.sh\")"
  echo 'set_tests_properties(format PROPERTIES TIMEOUT 300 LABELS fast)'
  echo "add_test(mutants \"$PWD/scripts/mutants.sh\")"
  echo 'set_tests_properties(mutants PROPERTIES PROCESSORS 2 TIMEOUT 1800 LABELS model)'
  if [ "$1" = full ]; then
    # Quick does the same with the library of the first preset, which has asserts and is less optimised.
    echo "add_test(release.install cmake --install \"$PWD/build/bench-contenders\" --prefix \"$PWD/build/check/prefix\")"
    echo 'set_tests_properties(release.install PROPERTIES FIXTURES_SETUP release.installed TIMEOUT 60)'
    libdir=$(sed -n 's/^CMAKE_INSTALL_LIBDIR:[^=]*=//p' build/bench-contenders/CMakeCache.txt)
    for compiler_and_sanitizer in "g++-12 address,undefined" "clang++-19 thread"; do # each pair takes a minute
      read -r compiler sanitizer <<<"$compiler_and_sanitizer"
      name=release.sanitized_consumer.$compiler.${sanitizer%%,*}
      echo "add_test($name \"$PWD/tests/sanitized_consumer/build_and_run.sh\" $compiler $sanitizer" \
        "\"$PWD/build/check/prefix\" \"$PWD/build/check/$name\")"
      echo "set_tests_properties($name PROPERTIES FIXTURES_REQUIRED release.installed LABELS \"long;sanitized\" TIMEOUT 900" \
        "SKIP_RETURN_CODE 77 ENVIRONMENT LIBDIR=$libdir)"
    done
    tests/numa_lab/shapes.py --subset | while read -r shape sections; do
      echo "add_test(numa_lab.$shape \"$PWD/tests/numa_lab/run_shape.sh\" $shape)"
      # Two guests: of some hundred one failed, on a machine that kept no logs, and could not be made to fail again.
      # 77: no QEMU, and no right to install it. All share the files of one guest, so they run one after the other, on one core:
      # first (COST), or the other core has nothing to do for the last three minutes.
      echo "set_tests_properties(numa_lab.$shape PROPERTIES LABELS numa_lab TIMEOUT 1500 SKIP_RETURN_CODE 77 RESOURCE_LOCK numa_lab COST 1000" \
        "ENVIRONMENT \"NUMA_LAB_GUESTS=2;NUMA_LAB_BUILD=build/${presets[0]};NUMA_LAB_SECTIONS=$sections\")"
    done
  fi
} >build/check/CTestTestfile.cmake

ctest --test-dir build/check -j "$(nproc)" --output-on-failure --no-tests=error "${selection[@]}"

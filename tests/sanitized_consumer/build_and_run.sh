#!/usr/bin/env bash
# Builds the programs beside this script with a sanitizer, links them to an installed nearfork that has none, and runs each in
# a process of its own: the correct ones must end well and without a word, the faulty ones must be reported.
# Exit status 77: skipped, and why. Needs LIBDIR; takes NEARFORK_TEST_ROUNDS (2).
# usage: build_and_run.sh COMPILER address,undefined|thread PREFIX BUILD_DIR
set -euo pipefail
compiler=$1 sanitizer=$2 prefix=$3 build=$4
here=$(cd "$(dirname "$0")" && pwd)
rounds=${NEARFORK_TEST_ROUNDS:-2}
seconds_each=120

skip() { echo "skipped: $*"; exit 77; }

command -v "$compiler" >/dev/null || skip "there is no $compiler"
rm -rf "$build"
mkdir -p "$build"
cd "$build"
flags() { PKG_CONFIG_PATH=$prefix/$LIBDIR/pkgconfig pkg-config "$@" nearfork; }
compile=("$compiler" -std=c++20 -O1 -g1 -fno-omit-frame-pointer "-fsanitize=$sanitizer")
command -v ccache >/dev/null && cached=(ccache) || cached=()

echo 'int main() {}' >probe.cpp
"${compile[@]}" probe.cpp -o probe 2>probe.log || skip "$compiler does not link -fsanitize=$sanitizer: $(tail -1 probe.log)"

# Thread sanitizers of gcc 12 do not start where the kernel spreads addresses widely.
start=()
if ! ./probe 2>probe.log; then
  start=(setarch -R)
  "${start[@]}" ./probe 2>>probe.log || skip "a program of $compiler -fsanitize=$sanitizer does not start: $(tail -1 probe.log)"
fi

objects=()
for source in "$here"/programs/*.cpp; do
  object=$(basename "$source" .cpp).o
  # The words of the flags are meant to be split.
  # shellcheck disable=SC2046
  "${cached[@]}" "${compile[@]}" $(flags --cflags) -c "$source" -o "$object"
  objects+=("$object")
done
# shellcheck disable=SC2046
"${compile[@]}" "${objects[@]}" -o static $(flags --static --libs | sed 's/-lnearfork/-l:libnearfork.a/')
# shellcheck disable=SC2046
"${compile[@]}" "${objects[@]}" -o shared $(flags --libs) -Wl,-rpath,"$prefix/$LIBDIR"

export ASAN_OPTIONS=exitcode=66:detect_stack_use_after_return=1 UBSAN_OPTIONS=halt_on_error=1:exitcode=66
# Thread sanitizers sleep for a second at a program's end unless they are told not to.
export TSAN_OPTIONS=exitcode=66:atexit_sleep_ms=0 NEARFORK_WORKERS=4 NEARFORK_PIN=off
failures=0

# Runs one program; its words are in $log, its exit status in $status.
run() {  # KIND NAME
  log=$build/$1.$2.log
  status=0
  timeout "$seconds_each" "${start[@]}" "./$1" "$2" >"$log" 2>&1 || status=$?
}

must_be_clean() {
  run "$1" "$2"
  if [ "$status" = 0 ] && ! grep -qE 'Sanitizer|runtime error:' "$log"; then return; fi
  echo "FAILED: $2 ($1, $compiler, $sanitizer): exit status $status"
  head -60 "$log"
  failures=$((failures + 1))
}

# Three tries: a thread sanitizer remembers the last few accesses of each word alone.
must_be_reported() {
  for _ in 1 2 3; do
    run "$1" "$2"
    if [ "$status" = 66 ] && grep -qE '(ERROR|WARNING): (Address|Thread)Sanitizer' "$log"; then return; fi
  done
  echo "FAILED: $2 ($1, $compiler, $sanitizer) has a fault that was not reported: exit status $status"
  head -20 "$log"
  failures=$((failures + 1))
}

correct=$("${start[@]}" ./static --list correct)
faulty=$("${start[@]}" ./static --list faulty | grep "^${sanitizer%%,*}_")
for ((round = 1; round <= rounds; ++round)); do
  for name in $correct; do must_be_clean static "$name"; done
done
for name in $correct; do must_be_clean shared "$name"; done
for name in $faulty; do must_be_reported static "$name"; must_be_reported shared "$name"; done

echo "$(wc -w <<<"$correct") programs, $((rounds + 1)) runs each, and $(wc -w <<<"$faulty") faulty ones: $failures failures"
[ "$failures" = 0 ]

#!/usr/bin/env bash
# Every public header, compiled with flags that nearfork cannot live with, gives its own message and no second one.
# usage: refusals.sh CXX INCLUDE_DIR
set -euo pipefail
compiler=$1 headers=$2
export LC_ALL=C

refuses() {  # HEADER MESSAGE FLAG...
  local header=$1 message=$2 output
  shift 2
  if output=$("$compiler" "$@" -fsyntax-only -fdiagnostics-color=never -I"$headers" -include "$header" -x c++ /dev/null 2>&1); then
    echo "$header compiles with $*; it should say: $message" >&2
    return 1
  fi
  # Besides the message there is the #include of no file, which ends the compilation.
  if [ "$(grep -c 'error:' <<<"$output")" -ne 2 ] || ! grep -q "error: .*$message" <<<"$output"; then
    printf '%s with %s should say only: %s\n%s\n' "$header" "$*" "$message" "$output" >&2
    return 1
  fi
}

for path in "$headers"/nearfork/*.hpp; do
  header=nearfork/${path##*/}
  refuses "$header" "nearfork needs C++20" -std=c++17
  refuses "$header" "nearfork needs exceptions" -std=c++20 -fno-exceptions
done

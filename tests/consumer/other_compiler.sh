#!/usr/bin/env bash
# Builds the program beside this script, with all public headers, by a compiler that did not build the library, and runs it. With
# libc++ the program is only compiled, as the library has the strings of libstdc++; so is the source that depends on the C++ ABI.
# Status 77: no such compiler, or no such standard library.
# usage: other_compiler.sh PREFIX BUILD_DIR COMPILER [FLAG]; needs LIBDIR
set -euo pipefail
prefix=$1 build=$2 compiler=$3
flags=(-std=c++20 -Wall -Wextra "${@:4}")
here=$(cd "$(dirname "$0")" && pwd)
sources=$here/../../src

command -v "$compiler" >/dev/null || { echo "$compiler is not installed" >&2; exit 77; }
if ! "$compiler" "${flags[@]}" -fsyntax-only -include string -x c++ /dev/null 2>/dev/null; then
  echo "$compiler ${flags[*]} finds no standard library" >&2
  exit 77
fi
flags+=(-Werror)
if [[ " ${flags[*]} " == *" -stdlib=libc++ "* ]]; then
  for source in "$here/project/main.cpp" "$sources/runtime/fibers/fiber_context.cpp"; do
    "$compiler" "${flags[@]}" -fsyntax-only -I"$prefix/include" -I"$sources" "$source"
  done
  exit
fi
mkdir -p "$build"
"$compiler" "${flags[@]}" -I"$prefix/include" "$here/project/main.cpp" -o "$build/consumer" \
  -L"$prefix/$LIBDIR" -lnearfork -Wl,-rpath,"$prefix/$LIBDIR"
"$build/consumer"

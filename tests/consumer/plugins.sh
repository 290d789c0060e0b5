#!/usr/bin/env bash
# Builds two plugins that each have the static library in them, and a program that loads both, with symbols that are and
# that are not hidden. Needs CXX and LIBDIR.
# usage: plugins.sh PREFIX BUILD_DIR
set -euo pipefail
prefix=$1 build=$2
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$build"
mkdir -p "$build"

flags() { PKG_CONFIG_PATH=$prefix/$LIBDIR/pkgconfig pkg-config "$@" nearfork; }

"$CXX" -std=c++20 "$here/plugins/main.cpp" -o "$build/program" -pthread -ldl
for visibility in default hidden; do
  for name in first second; do
    # The words of the flags are meant to be split.
    # shellcheck disable=SC2046
    "$CXX" -std=c++20 -O1 -fPIC -shared -fvisibility="$visibility" $(flags --cflags) \
      "-DNAME=__attribute__((visibility(\"default\"))) ${name}_sum" "$here/plugins/plugin.cpp" \
      -o "$build/$name.$visibility.so" $(flags --static --libs | sed 's/-lnearfork/-l:libnearfork.a/')
  done
  NEARFORK_WORKERS=3 timeout 60 "$build/program" "$build/first.$visibility.so" "$build/second.$visibility.so"
done

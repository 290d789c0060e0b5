#!/usr/bin/env bash
# Builds the project beside this script against an installed nearfork and runs it. Needs CXX and LIBDIR.
# usage: build_and_run.sh cmake_shared|cmake_static|pkgconfig_shared|pkgconfig_static PREFIX BUILD_DIR
set -euo pipefail
way=$1 prefix=$2 build=$3
here=$(cd "$(dirname "$0")" && pwd)
program=$build/consumer
rm -rf "$build"
mkdir -p "$build"

build_with_cmake() {  # ON|OFF: static
  cmake -G Ninja -S "$here/project" -B "$build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$CXX" \
    -DNEARFORK_STATIC="$1" -DCMAKE_BUILD_TYPE=Release
  cmake --build "$build"
}

flags() { PKG_CONFIG_PATH=$prefix/$LIBDIR/pkgconfig pkg-config "$@" nearfork; }

# The words of the flags are meant to be split.
# shellcheck disable=SC2046
case $way in
  cmake_shared) build_with_cmake OFF ;;
  cmake_static) build_with_cmake ON ;;
  pkgconfig_shared)
    "$CXX" -std=c++20 $(flags --cflags) "$here/project/main.cpp" -o "$program" $(flags --libs) \
      -Wl,-rpath,"$prefix/$LIBDIR"
    ;;
  pkgconfig_static)
    "$CXX" -std=c++20 $(flags --cflags) "$here/project/main.cpp" -o "$program" \
      $(flags --static --libs | sed 's/-lnearfork/-l:libnearfork.a/')
    ;;
  *) echo "unknown way: $way" >&2; exit 2 ;;
esac

# Says what the program loads, so that "static" is not shared by mistake.
case $way in
  *_shared) ldd "$program" | grep "$prefix.*libnearfork" >/dev/null ;;
  *_static) ! ldd "$program" | grep libnearfork >/dev/null ;;
esac || { echo "$program loads the wrong kind of libnearfork:" >&2; ldd "$program" >&2; exit 1; }
if ldd "$program" | grep libhwloc; then echo "$program links hwloc, which is to be loaded while it is needed" >&2; exit 1; fi
# The headers, CMake and pkg-config name the same version.
"$program" | grep -x "nearfork $(flags --modversion)"

# Machines by name. The shared library finds its folder by itself; who links the static one says where it is.
case $way in
  *_shared) "$program" opteron-8380 ;;
  *_static) NEARFORK_MACHINE_FOLDER=$(flags --variable=machinefolder) "$program" opteron-8380 ;;
esac

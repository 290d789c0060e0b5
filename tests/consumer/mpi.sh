#!/usr/bin/env bash
# Builds the project for MPI against an installed nearfork, with the MPI of this wrapper, and runs it on two ranks. Needs CXX.
# usage: mpi.sh MPICXX MPIRUN PREFIX BUILD_DIR
set -euo pipefail
wrapper=$1 run=$2 prefix=$3 build=$4
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$build"
cmake -G Ninja -S "$here/mpi_project" -B "$build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$CXX" -DMPI_CXX_COMPILER="$wrapper"
cmake --build "$build"
arguments=(-n 2)
case $run in
  *openmpi) arguments+=(--allow-run-as-root --oversubscribe) ;;
esac
"$run" "${arguments[@]}" "$build/ring" | grep -x 3

#!/usr/bin/env bash
# Makes sure that the Debian packages for a task are there: installs what is missing as root, else prints the one
# command. Runs nothing when all is there.
# usage: scripts/packages.sh build|check|bench|numa_lab
set -euo pipefail
cd "$(dirname "$0")/.."

build=(cmake g++-12 git libboost-context-dev libcli11-dev libfmt-dev libhwloc-dev libpfm4 libprotozero-dev libtbb-dev ninja-build
  nlohmann-json3-dev node-d3 pkg-config)
check=("${build[@]}" chromium clang-14 clang-19 clang-format-19 clang-tidy-19 doxygen g++-11 libc++-19-dev libc++abi-19-dev libclang-rt-19-dev
  libgmock-dev libgtest-dev libjemalloc2 libmimalloc2.0 libmpich-dev libomp-19-dev libopenblas0-pthread libopenmpi-dev
  libtcmalloc-minimal4 librapidcheck-dev lld-19 llvm-19 mpich openmpi-bin patch python3 python3-jsonschema)
bench=("${build[@]}" clang-19 libbenchmark-dev libmpich-dev libomp-19-dev libopenblas0-pthread libopenmpi-dev mpich openmpi-bin)
numa_lab=(acpica-tools busybox-static cpio python3 qemu-system-x86 xz-utils zstd)

case ${1:-} in
  build) wanted=("${build[@]}") ;;
  check) wanted=("${check[@]}") ;;
  bench) wanted=("${bench[@]}") ;;
  numa_lab) wanted=("${numa_lab[@]}") ;;
  *) echo "usage: $0 build|check|bench|numa_lab" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null; then
  echo "Not a Debian system: nothing is installed here. nearfork needs what these packages hold: ${wanted[*]}" >&2
  exit 0
fi

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

missing=()
for package in "${wanted[@]}"; do
  is_installed "$package" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
  echo "Missing packages. Install them with this command, then try again:" >&2
  echo "  sudo apt-get update && sudo apt-get install --no-install-recommends ${missing[*]}" >&2
  exit 1
fi

log=build/packages.log
mkdir -p build
echo "Installing ${missing[*]} ..."
export DEBIAN_FRONTEND=noninteractive
# Another installation may be under way (a system's own updates, a second build): wait for it.
waits=(-o DPkg::Lock::Timeout=300)
if ! { apt-get "${waits[@]}" update && apt-get "${waits[@]}" install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 </dev/null; then
  tail -20 "$log" >&2
  echo "Installing packages failed; all of apt-get's output is in $PWD/$log" >&2
  exit 1
fi

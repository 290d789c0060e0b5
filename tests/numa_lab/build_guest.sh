#!/usr/bin/env bash
# Makes what the lab's guests boot, below build/numa_lab/: a kernel of Debian's, fetched and unpacked but never installed, and an
# initramfs of busybox, our programs and the libraries that they need.
# usage: tests/numa_lab/build_guest.sh [BUILD]   BUILD: where the programs are, build/dev if not given
# Ends with status 77 and the reason if this machine cannot have QEMU or the kernel: they are not there, and we are not root, or
# apt cannot bring them.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-build/dev}
lab=build/numa_lab

has_all() {
  local program
  for program in qemu-system-x86_64 busybox cpio python3 zstd xz iasl; do command -v $program >/dev/null || return 1; done
}

get_packages() {
  if has_all; then return; fi
  if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    scripts/packages.sh numa_lab && return
    echo "skipped: the NUMA lab's packages cannot be installed" >&2
    exit 77
  fi
  echo "skipped: the NUMA lab needs QEMU, busybox, cpio, python3, zstd, xz and iasl, and only root can install them:" >&2
  echo "  sudo scripts/packages.sh numa_lab" >&2
  exit 77
}

# The newest series that the system's sources offer: it knows more of memory tiers.
find_kernel_package() {
  local meta package
  for meta in linux-image-6.12-cloud-amd64 linux-image-cloud-amd64; do
    package=$(apt-cache depends "$meta" 2>/dev/null | sed -n 's/^ *Depends: \(linux-image-[^ ]*\)$/\1/p' | head -1)
    if [ -n "$package" ]; then echo "$package"; return; fi
  done
}

get_kernel() {
  if [ -f $lab/vmlinux ] && [ -d $lab/modules ]; then return; fi
  local package unpacked module
  if ! command -v apt-get >/dev/null; then
    echo "skipped: the NUMA lab fetches its kernel with apt-get, which is not there" >&2
    exit 77
  fi
  package=$(find_kernel_package)
  if [ -z "$package" ] && [ "$(id -u)" -eq 0 ]; then
    apt-get update >$lab/kernel.log 2>&1 || true  # what it already knows may do
    package=$(find_kernel_package)
  fi
  if [ -z "$package" ]; then
    echo "skipped: apt knows no cloud kernel: is its list of packages there (apt-get update), and is this amd64?" >&2
    exit 77
  fi
  unpacked=$(mktemp -d $lab/kernel.XXXXXX)
  if ! (cd "$unpacked" && apt-get download "$package") >>$lab/kernel.log 2>&1; then
    tail -5 $lab/kernel.log >&2
    echo "skipped: apt-get download $package failed; its output is in $lab/kernel.log" >&2
    exit 77
  fi
  dpkg -x "$unpacked"/linux-image-*.deb "$unpacked/root"
  # Unpacked here, the kernel need not unpack itself under emulation at each boot.
  tests/numa_lab/unpack_kernel.py "$unpacked"/root/boot/vmlinuz-* $lab/vmlinux.new
  rm -rf $lab/modules.new
  mkdir $lab/modules.new
  for module in acpi-cpufreq cpufreq_userspace; do
    xz -dc "$unpacked"/root/lib/modules/*/kernel/drivers/cpufreq/$module.ko.xz >$lab/modules.new/$module.ko
  done
  rm -rf $lab/modules
  mv $lab/modules.new $lab/modules
  echo "$package" >$lab/kernel-package
  rm -rf "$unpacked"
  mv $lab/vmlinux.new $lab/vmlinux
}

# The file, and the libraries that it is linked with, where the guest looks for them.
put_program() {
  cp -L "$1" "$2/bin/"
  put_libraries "$1" "$2"
}
put_libraries() {
  local library
  for library in $(ldd "$1" 2>/dev/null | grep -o '/[^ ]*'); do
    mkdir -p "$2$(dirname "$library")"
    cp -Lu "$library" "$2$library"
  done
}

# hwloc is opened by name, so ldd does not tell of it.
put_hwloc() {
  local hwloc
  hwloc=$(/sbin/ldconfig -p | sed -n 's/.*libhwloc\.so\.15 .*x86-64.* => //p' | head -1)
  if [ -z "$hwloc" ]; then echo "libhwloc.so.15 is not installed: scripts/packages.sh build" >&2; return 1; fi
  mkdir -p "$1/lib/x86_64-linux-gnu"
  cp -L "$hwloc" "$1/lib/x86_64-linux-gnu/libhwloc.so.15"
  put_libraries "$hwloc" "$1"
}

make_initramfs() {
  local root program
  if [ ! -x "$build/nearfork" ] || ! ls "$build"/numa_lab/lab_* >/dev/null 2>&1; then
    echo "$build has no programs for the lab: scripts/build.sh dev nearfork_command numa_lab_programs" >&2
    return 1
  fi
  root=$(mktemp -d $lab/root.XXXXXX)
  mkdir -p "$root"/{bin,dev,proc,sys,tmp,lab}
  for program in "$(command -v busybox)" "$build/nearfork" "$build"/numa_lab/lab_*; do put_program "$program" "$root"; done
  # Nothing is debugged in there, and every byte is unpacked under emulation.
  cp -L "$build/libnearfork-malloc.so" "$root/bin/"  # where nearfork run looks first: beside the command
  strip "$root"/bin/nearfork "$root"/bin/lab_* "$root"/bin/libnearfork-malloc.so
  put_hwloc "$root"
  cp -r $lab/modules "$root/lib/"
  cp -r tests/numa_lab/guest/checks.sh tests/numa_lab/guest/sections "$root/lab/"
  install -m 755 tests/numa_lab/guest/init "$root/init"
  (cd "$root" && find . | cpio --quiet -o -H newc -R 0:0) >$lab/initramfs.new
  rm -rf "$root"
  mv $lab/initramfs.new $lab/initramfs
}

make_tables() {
  local shape
  for shape in $(tests/numa_lab/shapes.py --with-clocks); do
    tests/numa_lab/clocks_table.py "$shape" "$lab/$shape.aml"
  done
}

mkdir -p $lab
get_packages
get_kernel
make_tables
make_initramfs

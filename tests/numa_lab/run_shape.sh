#!/usr/bin/env bash
# Boots one machine of the lab under QEMU's emulation, where nearfork's programs check themselves, and judges their results.
# usage: tests/numa_lab/run_shape.sh SHAPE [--renew]   --renew: what `nearfork topo` shows there becomes the golden text
#   NUMA_LAB_BUILD: where the programs are (build/dev); NUMA_LAB_TIMEOUT: seconds until a guest counts as hung (600);
#   NUMA_LAB_LEAST_PERCENT: of the pages that must lie on the node of their domain (95);
#   NUMA_LAB_SECTIONS: names of guest/sections/ with commas between, to run those alone
#   NUMA_LAB_GUESTS: how many guests may fail, one after the other, until the machine has failed (1)
# Ends with status 77 if this machine cannot have QEMU or the kernel. Console and results are kept in build/numa_lab/logs/.
set -euo pipefail
cd "$(dirname "$0")/../.."
shape=$1
lab=build/numa_lab
console=$lab/logs/$shape.console results=$lab/logs/$shape.results waiting=$lab/logs/$shape.waiting
golden=tests/numa_lab/golden/$shape.txt
sections=${NUMA_LAB_SECTIONS:-$(tests/numa_lab/shapes.py --sections "$shape" 2>/dev/null || true)}
boots=3

boot() {
  local arguments
  mapfile -t arguments < <(tests/numa_lab/shapes.py "$shape")
  if [ ${#arguments[@]} -eq 0 ]; then exit 2; fi
  rm -f "$console" "$results" "$waiting"
  # swiotlb: buffers for devices that we do not have, 64 MiB of one node. no_timer_check: an emulator that waits for a core of ours
  # delivers no ticks meanwhile, and the kernel would take its timer for broken.
  # One thread for all cores: before 8.1 QEMU's own threads race, and one boot in twelve dies with "Oops: int3".
  timeout -k 10 "${NUMA_LAB_TIMEOUT:-600}" qemu-system-x86_64 -nodefaults -no-user-config -display none -no-reboot \
    -monitor none -accel tcg,thread=single "${arguments[@]}" -kernel $lab/vmlinux -initrd $lab/initramfs \
    -append "console=ttyS0,115200 loglevel=6 panic=-1 nokaslr mitigations=off tsc=reliable nowatchdog rcupdate.rcu_cpu_stall_suppress=1 random.trust_cpu=on swiotlb=noforce no_timer_check NUMA_LAB_LEAST_PERCENT=${NUMA_LAB_LEAST_PERCENT:-95} NUMA_LAB_SECTIONS=$sections" \
    -chardev "file,id=console,path=$console" -serial chardev:console \
    -chardev "file,id=results,path=$results" -serial chardev:results &
  emulator=$!
  trap 'kill $emulator 2>/dev/null || true' EXIT
  note_waiting $emulator &
  wait $emulator
}

# How long QEMU has stood in line for a core of ours: where a guest seemed to stand still, this says who stood still.
note_waiting() {
  local qemu
  while [ -d "/proc/$1" ]; do
    qemu=$(cat "/proc/$1/task/$1/children" 2>/dev/null || true)
    cat /proc/${qemu%% *}/task/*/schedstat 2>/dev/null | awk '$2 > ns {ns = $2} END {if (NR) printf "%d", ns / 1e9}' >"$waiting.new" || true
    [ ! -s "$waiting.new" ] || mv "$waiting.new" "$waiting"
    sleep 1
  done
}

# A guest that never came to our first program was lost by the emulator, and may be booted again; any other failure is ours.
boot_until_it_starts() {
  local attempt status
  for attempt in $(seq $boots); do
    status=0
    boot || status=$?
    if [ -s "$results" ]; then break; fi
    cp "$console" "$console.lost-$attempt" 2>/dev/null || true
    echo "$shape: boot $attempt of $boots was lost before our first program (QEMU's status $status): $console.lost-$attempt" >&2
  done
  # For a guest that hung. If a guest died otherwise, its last line is missing.
  if [ "$status" -ge 124 ]; then echo "$shape: the guest hung and was ended after ${NUMA_LAB_TIMEOUT:-600} s" >&2; fi
}

judge() {
  local bad=0
  case ,${sections:-machine}, in
    *,machine,*) if ! tests/numa_lab/golden.py "$results" "$golden"; then bad=1; fi ;;
  esac
  grep -E '^(FAIL|    |kernel:)' "$results" || true
  if ! grep -q '^lab: end, 0 failed' "$results"; then bad=1; fi
  if ! grep -q '^lab: end' "$results"; then
    echo "the guest crashed or hung; its console ended with:"
    tail -5 "$console"
  fi
  return $bad
}

mkdir -p $lab/logs
# First, since it sees to python3, too.
tests/numa_lab/build_guest.sh "${NUMA_LAB_BUILD:-build/dev}"
if ! tests/numa_lab/shapes.py --list | grep -x -e "$shape" >/dev/null; then
  echo "no shape $shape; there are: $(tests/numa_lab/shapes.py --list | tr '\n' ' ')" >&2
  exit 2
fi
# Under much load it is most of the time, and a bound against hanging may then be passed in vain.
time_taken() {
  echo "$((SECONDS - started)) s, $(cat "$waiting" 2>/dev/null || echo an unknown number) of them waiting for a core"
}

started=$SECONDS
for guest in $(seq "${NUMA_LAB_GUESTS:-1}"); do
  boot_until_it_starts
  if [ ! -s "$results" ]; then
    echo "FAIL $shape: none of $boots boots came to our first program; console: $console"
    exit 1
  fi
  if [ "${2:-}" = --renew ]; then tests/numa_lab/golden.py "$results" "$golden" --renew; fi
  if judge; then break; fi
  echo "FAIL $shape after $(time_taken); results: $results, console: $console"
  if [ "$guest" -ge "${NUMA_LAB_GUESTS:-1}" ]; then exit 1; fi
  for file in "$results" "$console"; do cp "$file" "$file.failed-$guest"; done
  echo "$shape: guest $guest of $NUMA_LAB_GUESTS failed; another one decides"
done
echo "ok $shape: $(grep -c '^ok ' "$results") checks in $(time_taken), on $(cat $lab/kernel-package)"

# The kernel's own migration of pages (kernel.numa_balancing), as in section 6 of Drebes et al.: without it pages stay where
# they were touched first; with it they follow threads that use them for long.
balancing=/proc/sys/kernel/numa_balancing
scans=/sys/kernel/debug/sched/numa_balancing
if [ ! -w $balancing ]; then
  ok 'skipped: this kernel cannot migrate pages by itself'
else
  before=$(cat $balancing)
  [ -d $scans ] || mount -t debugfs none /sys/kernel/debug 2>/dev/null
  # As the paper: scan at once, as often as can be, and all of the memory.
  for setting in scan_delay_ms=1 scan_period_min_ms=1 scan_size_mb=4096; do
    [ ! -w "$scans/${setting%=*}" ] || echo "${setting#*=}" >"$scans/${setting%=*}"
  done
  # A huge page would hold parts of several buffers.
  huge=/sys/kernel/mm/transparent_hugepage/enabled
  huge_before=$(sed 's/.*\[\(.*\)\].*/\1/' $huge 2>/dev/null)
  [ ! -w $huge ] || echo never >$huge
  echo 0 >$balancing
  check 'without migration pages stay where they are' lab_migrated_pages off 20 8
  echo 1 >$balancing
  check 'with migration pages follow their owner' lab_migrated_pages on 20 8
  check 'buffers of a graph lie beside their producer, with migration, too' lab_flow_pages 99
  echo "$before" >$balancing
  [ ! -w $huge ] || echo "$huge_before" >$huge
fi

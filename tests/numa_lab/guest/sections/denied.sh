# What containers forbid.
heat 'heat without CAP_SYS_NICE' lab_deny cap-sys-nice --
heat 'heat without mbind, move_pages, sched_setaffinity' lab_deny cap-sys-nice mbind move_pages sched_setaffinity --
check 'a run whose workers cannot be pinned' env NEARFORK_POLICY=random NEARFORK_REPORT=/tmp/report \
  lab_deny sched_setaffinity -- nearfork bench heat --contender nearfork --size "$small_heat" --reps 1
expect 'its report names every worker that is not pinned' \
  'worker is not pinned, worker .*: Operation not permitted (errno 1)' /tmp/report "$cores"
NEARFORK_STRICT=1 lab_deny sched_setaffinity -- nearfork bench heat --contender nearfork --size "$small_heat" --reps 1 >/tmp/out 2>&1 \
  && fail 'strict mode refuses what cannot be pinned' 'status 0' /tmp/out \
  || expect 'strict mode refuses what cannot be pinned' 'worker is not pinned' /tmp/out "$cores"
lab_deny mbind move_pages sched_setaffinity -- nearfork doctor >/tmp/out 2>&1
expect 'the doctor says what is denied' '^\(pinning\|mbind\|move_pages\) .*denied .*Operation not permitted' /tmp/out 3
nearfork doctor >/tmp/out 2>&1
expect 'and what is granted' '^\(pinning\|mbind\|move_pages\) .*granted ' /tmp/out 3

# Placed memory and pools: right answers all the same, and each refusal on the report once. Every node has refused its pool.
eperm='Operation not permitted (errno 1)'
nodes=$(tr , '\n' </sys/devices/system/node/has_memory | awk -F- '{n += ($2 == "" ? $1 : $2) - $1 + 1} END {print n}')
check 'pages follow laws without CAP_SYS_NICE' env NEARFORK_POLICY=laws lab_deny cap-sys-nice -- lab_heat_pages "$NUMA_LAB_LEAST_PERCENT"
rm -f /tmp/report
check 'placed heat without mbind, move_pages, set_mempolicy' env NEARFORK_POLICY=laws NEARFORK_REPORT=/tmp/report \
  lab_deny cap-sys-nice mbind move_pages set_mempolicy -- lab_heat_pages --unseen
expect 'its report says that memory is not bound' "memory is not bound to nodes: first touch places it, mbind: $eperm" /tmp/report 1
expect 'and that it is not moved' "memory is not moved to its tasks: .* move_pages: $eperm" /tmp/report 1
rm -f /tmp/report
check 'placed heat without move_pages' env NEARFORK_POLICY=laws NEARFORK_REPORT=/tmp/report \
  lab_deny move_pages -- lab_heat_pages --unseen
expect 'its report says that memory is not moved' "memory is not moved to its tasks: .* move_pages: $eperm" /tmp/report 1
expect 'and not that it is not bound' 'memory is not bound' /tmp/report 0
rm -f /tmp/report
check 'small blocks without mbind, move_pages, set_mempolicy' env NEARFORK_REPORT=/tmp/report \
  lab_deny cap-sys-nice mbind move_pages set_mempolicy -- lab_pool_blocks --unseen
expect 'its report says so of every node' "small blocks are not bound, but left to first touch, node [0-9]*: $eperm" /tmp/report "$nodes"
NEARFORK_STRICT=1 lab_deny mbind -- lab_placings >/tmp/out 2>&1
expect 'strict mode refuses a block that cannot be bound' "^wrong: nearfork: strict mode, .*(mbind): $eperm" /tmp/out 1

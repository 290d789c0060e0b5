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

# What is checked in every guest. Prints "ok NAME" or "FAIL NAME: why" for each check, and at the end how many failed; a guest
# without that last line has crashed or hung. Lines of a failed check follow it, indented.
# Times here are bounds against hanging, far beyond what anything takes: nothing is judged by its speed.
patience=120
failed=0
cores=$(nproc)
export NEARFORK_SEED=1

# The guest's age ends each line, to find out where one stood still; it is not judged.
age() { cut -d. -f1 /proc/uptime; }
ok() { echo "ok $1 [at $(age) s]"; }
fail() {
  echo "FAIL $1: $2 [at $(age) s]"
  failed=$((failed + 1))
  [ ! -f "$3" ] || tail -n 25 "$3" | sed 's/^/    /'
}

# check NAME COMMAND...: holds if the command ends with status 0 in time.
check() {
  name=$1
  shift
  timeout -s KILL $patience "$@" >/tmp/out 2>&1
  status=$?
  case $status in
    # What our programs say in one line is worth reading; a table is not.
    0) if [ "$(wc -l </tmp/out)" = 1 ]; then ok "$name: $(cat /tmp/out)"; else ok "$name"; fi ;;
    137) fail "$name" "hung, or was killed after $patience s" /tmp/out ;;
    *) fail "$name" "status $status" /tmp/out ;;
  esac
  return $status
}

# expect NAME TEXT FILE TIMES: TEXT stands in FILE, on as many lines.
expect() {
  found=$(grep -c -e "$2" "$3")
  if [ "$found" = "$4" ]; then ok "$1"; else fail "$1" "\"$2\" stands on $found lines, not on $4" "$3"; fi
}

# heat NAME COMMAND...: the command before nearfork may take something from it. Every policy must answer right.
small_heat='rows=515,columns=66,iterations=6'
heat() {
  name=$1
  shift
  rm -f /tmp/report
  # Its status tells of wrong answers; each line says "right" besides.
  if check "$name" "$@" nearfork bench heat --policy all --contender nearfork --size "$small_heat" --reps 1; then
    expect "$name: every policy answers right" ' right$' /tmp/out "$policies"
  fi
}

# As the command's own error lists them.
policies=$(nearfork bench heat --policy no-such-policy 2>&1 | sed -n 's/.*allowed: *//p' | tr ',' '\n' | grep -c .)

# --- the machine ---
nearfork topo 2>&1 | sed 's/^/topo: /'

# --- workers on their cores ---
check 'every worker is on its core' lab_worker_places "$cores"
check 'workers within an affinity mask' taskset -c 0,$((cores - 1)) lab_worker_places 2

# --- steals ---
for policy in random laws auto; do
  check "tasks exactly once, steals add up: $policy" env NEARFORK_POLICY="$policy" lab_exactly_once
done

# --- heat ---
[ "$policies" -ge 5 ] || fail 'policies' "the command lists $policies"
heat 'heat'

# --- where first touch puts pages ---
check 'pages of a first iteration under laws' lab_page_census "$NUMA_LAB_LEAST_PERCENT"

# --- denied ---
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

# --- CPU quota ---
mkdir /sys/fs/cgroup/two_cores
echo +cpu >/sys/fs/cgroup/cgroup.subtree_control
echo '200000 100000' >/sys/fs/cgroup/two_cores/cpu.max
in_quota() { sh -c 'echo $$ >/sys/fs/cgroup/two_cores/cgroup.procs && exec "$@"' sh "$@"; }
in_quota nearfork topo >/tmp/out 2>&1
expect 'a quota of two cores is seen' '^CPU quota: 2 cores' /tmp/out 1
check 'and gives two workers' sh -c 'echo $$ >/sys/fs/cgroup/two_cores/cgroup.procs && exec lab_worker_places 2'

# --- while it runs ---
# Rounds go on in the background; each disturbance must be followed by progress.
count() { cat /tmp/count 2>/dev/null || echo 0; }
progress() {
  before=$(count)
  for second in $(seq $patience); do
    [ -d "/proc/$runner" ] || return 1
    now=$(count)
    # Empty while it is being written.
    [ -z "$now" ] || [ -z "$before" ] || [ "$now" -lt $((before + 3)) ] || return 0
    [ -n "$before" ] || before=$now
    sleep 1
  done
  return 1
}
start_rounds() {
  rm -f /tmp/end /tmp/count
  NEARFORK_POLICY=$1 NEARFORK_REPORT=/tmp/report lab_exactly_once --until /tmp/end --count /tmp/count >/tmp/rounds 2>&1 &
  runner=$!
}
end_rounds() {
  touch /tmp/end
  for second in $(seq $patience); do
    [ -d "/proc/$runner" ] && ! grep -q '^State:.*zombie' "/proc/$runner/status" 2>/dev/null || break
    sleep 1
  done
  [ "$second" -lt $patience ] || kill -KILL "$runner"
  wait "$runner"
  status=$?
  if [ $status = 0 ]; then ok "$1: $(tail -n 1 /tmp/rounds)"; else fail "$1" "status $status" /tmp/rounds; fi
}
expect_progress() {
  if progress; then ok "$1"; else fail "$1" "no progress in $patience s, at round $(count)" /tmp/rounds; fi
}

start_rounds random
expect_progress 'rounds go on'
for time in $(seq 20); do
  kill -STOP "$runner"
  sleep 0.05
  kill -CONT "$runner"
  sleep 0.05
done
expect_progress 'rounds go on after 20 stops'
end_rounds 'stopped and continued, every task exactly once'

last=$((cores - 1))
unplug() { echo "$1" >"/sys/devices/system/cpu/cpu$last/online"; }
start_rounds laws
expect_progress 'rounds go on'
if unplug 0; then
  expect_progress 'rounds go on with a core unplugged'
  check 'a new runtime leaves the unplugged core alone' lab_worker_places "$last"
  unplug 1 || fail 'plug the core in again' "cpu$last"
  expect_progress 'rounds go on with the core plugged in again'
else
  fail 'unplug a core' "cpu$last"
fi
end_rounds 'a core unplugged and plugged in, every task exactly once'

dmesg | grep -E 'Oops|BUG:|WARNING:|soft lockup' | sed 's/^/kernel: /'
echo "lab: end, $failed failed"

# What is checked in every guest. Prints "ok NAME" or "FAIL NAME: why" for each check, and at the end how many failed; a guest
# without that last line has crashed or hung. Lines of a failed check follow it, indented.
# Each file of sections/ is a group of checks; NUMA_LAB_SECTIONS (names with commas between) runs those alone.
# Times here are bounds against hanging, far beyond what anything takes: nothing is judged by its speed. On a busy machine the
# emulator was seen to wait half a minute on end for a core.
patience=240
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
policy_names=$(nearfork bench heat --policy no-such-policy 2>&1 | sed -n 's/.*allowed: *//p' | tr ',' ' ')
policies=$(echo $policy_names | wc -w)

# --- programs that go on in the background ---
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


sections='machine workers steals heat first_touch placed malloc dataflow migration hot full_node denied quota stopped unplugged'
for section in $(echo "${NUMA_LAB_SECTIONS:-$sections}" | tr , ' '); do
  . "/lab/sections/$section.sh"
done
# Those of clocks have a machine of their own. A section that no list names would check nothing.
for file in /lab/sections/*.sh; do
  section=$(basename "$file" .sh)
  case " $sections power " in
    *" $section "*) ;;
    *) fail "section $section" 'no list names it' ;;
  esac
done

dmesg | grep -E 'Oops|BUG:|WARNING:|soft lockup' | sed 's/^/kernel: /'
echo "lab: end, $failed failed"

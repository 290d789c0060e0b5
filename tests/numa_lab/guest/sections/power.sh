# Clocks of a real driver: acpi-cpufreq makes one policy of each package. What is set is undone, however a program ends.
cpufreq=/sys/devices/system/cpu/cpufreq
for module in acpi-cpufreq cpufreq_userspace; do insmod /lib/modules/$module.ko 2>&1; done >/tmp/out
state() { for one in $cpufreq/policy*; do cat $one/scaling_governor $one/scaling_min_freq $one/scaling_max_freq; done | tr '\n' ' '; }
governors() { cat $cpufreq/policy*/scaling_governor | sort -u | tr '\n' ' '; }
policies=$(ls -d $cpufreq/policy* 2>/dev/null | wc -l)
if [ "$policies" = 2 ]; then ok 'a policy of each package'; else fail 'a policy of each package' "there are $policies" /tmp/out; fi
for one in $cpufreq/policy*; do echo performance >$one/scaling_governor; done
before=$(state)
expect_before() {
  if [ "$(state)" = "$before" ]; then ok "clocks are as before after $1"; else fail "clocks are as before after $1" "they are $(state), were $before"; fi
}
start_managing() {
  lab_clocks wait >/tmp/managing 2>&1 &
  runner=$!
  for second in $(seq $patience); do
    grep -q '^ready' /tmp/managing && return
    sleep 1
  done
}

check 'frequencies are those that the plan names, within the budget' lab_clocks watch
expect_before 'a normal end'
lab_clocks throw >/tmp/out 2>&1
expect_before 'an exception that nobody catches'
# A shell lets programs in the background ignore INT.
for signal in TERM HUP SEGV; do
  start_managing
  if [ "$(governors)" = 'userspace ' ]; then ok 'clocks are managed'; else fail 'clocks are managed' "$(governors)" /tmp/managing; fi
  kill -$signal $runner
  wait $runner
  expect_before "SIG$signal"
done
start_managing
kill -KILL $runner
wait $runner
if [ "$(governors)" = 'userspace ' ]; then ok 'kill -9 leaves no time'; else fail 'kill -9 leaves no time' "$(governors)"; fi
check 'the doctor restores frequencies' nearfork doctor --restore-frequencies
expect_before 'kill -9 and the doctor'
check 'the doctor finds nothing more to restore' nearfork doctor --restore-frequencies
start_managing
echo performance >$cpufreq/policy0/scaling_governor
kill -TERM $runner
wait $runner
expect_before 'another program changed a governor, and SIGTERM'

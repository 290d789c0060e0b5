# A core goes away while its worker runs, and comes back.
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
# The kernel lifts a binding for good when the thread is woken without its core; who slept all the time keeps it.
bound=$(cat /proc/"$runner"/task/*/status | grep -c "^Cpus_allowed_list:[[:space:]]*$last\$")
end_rounds 'a core unplugged and plugged in, every task exactly once'
expect 'the report says whose core was unplugged, if it lost it' "worker is no longer pinned, worker .*, PU $last:" /tmp/report $((1 - bound))
expect 'and calls it bound only if it is' "bound to PU $last of the system" /tmp/report "$bound"

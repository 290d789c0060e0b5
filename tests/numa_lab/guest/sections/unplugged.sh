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
end_rounds 'a core unplugged and plugged in, every task exactly once'
# The kernel has lifted the binding for good, whoever came back.
expect 'the report says whose core was unplugged' "worker is no longer pinned, worker .*, PU $last:" /tmp/report 1
expect 'and does not call it bound' "bound to PU $last of the system" /tmp/report 0

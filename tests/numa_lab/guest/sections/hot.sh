# Hot data are found, and their chunks lie where the plan of bats says. Only where some memory has no core beside it: with
# equal nodes bats has nothing to weigh.
nodes=/sys/devices/system/node
if [ "$(cat $nodes/has_memory)" != "$(cat $nodes/has_cpu)" ]; then
  for source in clear_refs damon; do
    check "the hot tenth is found by $source" lab_hot_chunks $source
  done
fi
# A source that this machine does not have: right answers, and a line on the report; in strict mode an error.
for source in samples page_idle; do
  rm -f /tmp/report
  check "placed heat without $source" env NEARFORK_POLICY=bats NEARFORK_HOTNESS=$source NEARFORK_REPORT=/tmp/report lab_heat_pages 0
  expect "one line says that $source is missing" "hot data are not known, so none move, source $source" /tmp/report 1
  if NEARFORK_STRICT=1 NEARFORK_POLICY=bats NEARFORK_HOTNESS=$source lab_heat_pages 0 >/tmp/out 2>&1; then
    fail "strict mode refuses to do without $source" 'it did' /tmp/out
  else
    expect "strict mode refuses to do without $source" "hot data are not known, so none move (source $source)" /tmp/out 1
  fi
done

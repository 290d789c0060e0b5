# Huge pages take a node's memory away but for some, and nobody uses them.
huge_pages_of() { echo "/sys/devices/system/node/node$1/hugepages/hugepages-2048kB/nr_hugepages"; }
kib_free_on() { sed -n 's/.*MemFree: *\([0-9]*\) kB/\1/p' "/sys/devices/system/node/node$1/meminfo"; }
left_mib=40
# What programs have freed stays on lists of the cores for some seconds before the kernel counts it as free: 430 MiB with 24 cores.
# So once more until nothing comes.
fill_node() {
  taken=0
  for attempt in 1 2 3 4 5 6 7 8; do
    more=$((($(kib_free_on $1) / 1024 - left_mib) / 2))
    [ $more -gt 0 ] || break
    taken=$((taken + more))
    echo $taken >"$(huge_pages_of $1)"
    sleep 2
  done
}
# The last one has no cores in some machines.
for node in 1 $(sed 's/.*[-,]//' /sys/devices/system/node/has_memory); do
  fill_node $node
  check "node $node nearly full: the nearest takes over, and the report says so" lab_full_node $node
  check "node $node nearly full: refused in strict mode" lab_full_node $node --strict
  echo 0 >"$(huge_pages_of $node)"
done

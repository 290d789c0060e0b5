# Huge pages take a node's memory away but for some, and nobody uses them.
huge_pages_of() { echo "/sys/devices/system/node/node$1/hugepages/hugepages-2048kB/nr_hugepages"; }
kib_free_on() { sed -n 's/.*MemFree: *\([0-9]*\) kB/\1/p' "/sys/devices/system/node/node$1/meminfo"; }
left_mib=40
# The last one has no cores in some machines.
for node in 1 $(sed 's/.*[-,]//' /sys/devices/system/node/has_memory); do
  echo $((($(kib_free_on $node) / 1024 - left_mib) / 2)) >"$(huge_pages_of $node)"
  check "node $node nearly full: the nearest takes over, and the report says so" lab_full_node $node
  check "node $node nearly full: refused in strict mode" lab_full_node $node --strict
  echo 0 >"$(huge_pages_of $node)"
done

# Arrays that follow plans: heat under every policy, each page asked of the kernel.
for policy in $policy_names; do
  least=0
  # It alone is told to split the work into equal shares in every machine with several domains.
  case $policy in laws|laws-nc) least=$NUMA_LAB_LEAST_PERCENT ;; esac
  check "placed heat: $policy" env NEARFORK_POLICY="$policy" lab_heat_pages "$least"
done
check 'only what is planned elsewhere moves' lab_replanned_pages
check 'every rule puts pages where it says' lab_placings
check 'small blocks lie on their node, whoever freed them before' lab_pool_blocks

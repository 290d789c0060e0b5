# Workers on their cores.
check 'every worker is on its core' lab_worker_places "$cores"
check 'workers within an affinity mask' taskset -c 0,$((cores - 1)) lab_worker_places 2

# Memory that nobody places.
check 'pages of a first iteration under laws' lab_first_touch "$NUMA_LAB_LEAST_PERCENT"

# A cgroup's CPU quota.
mkdir /sys/fs/cgroup/two_cores
echo +cpu >/sys/fs/cgroup/cgroup.subtree_control
echo '200000 100000' >/sys/fs/cgroup/two_cores/cpu.max
in_quota() { sh -c 'echo $$ >/sys/fs/cgroup/two_cores/cgroup.procs && exec "$@"' sh "$@"; }
in_quota nearfork topo >/tmp/out 2>&1
expect 'a quota of two cores is seen' '^CPU quota: 2 cores' /tmp/out 1
check 'and gives two workers' sh -c 'echo $$ >/sys/fs/cgroup/two_cores/cgroup.procs && exec lab_worker_places 2'

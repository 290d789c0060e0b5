# A cgroup's CPU quota.
mkdir /sys/fs/cgroup/two_cores
echo +cpu >/sys/fs/cgroup/cgroup.subtree_control
echo '200000 100000' >/sys/fs/cgroup/two_cores/cpu.max
cat >/tmp/in_quota <<'END'
#!/bin/sh
echo $$ >/sys/fs/cgroup/two_cores/cgroup.procs && exec "$@"
END
chmod +x /tmp/in_quota
/tmp/in_quota nearfork topo >/tmp/out 2>&1
expect 'a quota of two cores is seen' '^CPU quota: 2 cores' /tmp/out 1
check 'and gives two workers' /tmp/in_quota lab_worker_places 2
heat 'heat within a quota' /tmp/in_quota
check 'placed heat within a quota' /tmp/in_quota lab_heat_pages 0

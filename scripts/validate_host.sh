#!/usr/bin/env bash
# Times of the workloads on this machine, with one and two workers, beside those of the simulator for the same machine as
# `nearfork topo --measure` sees it. Prints a Markdown table. As root, what is measured goes before everything else
# that runs; what is simulated does not.
# usage: scripts/validate_host.sh
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/build.sh release nearfork_command nearfork_host_check >&2
seen=$(mktemp -d)
trap 'rm -rf "$seen"' EXIT
first=()
if chrt -f 10 true 2>/dev/null; then first=(chrt -f 10); fi

"${first[@]}" build/release/nearfork topo --measure -o "$seen/host.model" >"$seen/host" 2>/dev/null
# Which pages a process gets decides, too: heat of 128 MiB took 26 ms in one and 37 ms in another, again and again.
for process in 1 2 3; do
  echo "process $process of 3" >&2
  "${first[@]}" build/release/host_check measure >>"$seen/times"
done
nice build/release/host_check compare "$seen/host.model" <"$seen/times"
echo
sed 's/^/    /' "$seen/host"

#!/usr/bin/env bash
# What `auto` costs and gains, simulated: for each iterative workload, machine and size its steady iteration beside the best of
# random, acab and laws (meant: at most 1.01), and 40 iterations with all trials beside 40 of random's (meant: at most 1.03).
# Cells beyond that are marked with *. The whole matrix takes hours on two cores; --quick takes minutes.
# The data are filled in parallel before the first iteration; --setup names another way (nearfork sim --help).
# --memory: machines with several kinds of memory, with bats among the others, and data that follow the plans.
# --iterations N: so many are simulated (40 unless told); the steady iteration is that of the second half. More show what comes
# late: a second look at plain stealing, data that move.
# usage: scripts/auto_matrix.sh [--quick] [--memory] [--json] [--iterations N] [--setup KIND] [--workload NAME]... [--machine NAME]...
set -euo pipefail
cd "$(dirname "$0")/.."

form=markdown
setup=parallel
iterations=40
sizes=(1 2 3)
workloads=()
machines=()
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) sed -n '2,9s/^# //p' "$0"; exit 0 ;;
    --json) form=json ;;
    --quick) sizes=(1); quick=1 ;;
    --memory) memory=1 ;;
    --workload | --machine | --setup | --iterations)
      if [ $# -lt 2 ]; then echo "$0: $1 needs a value" >&2; exit 2; fi
      case $1 in
        --workload) workloads+=("$2") ;;
        --machine) machines+=("$2") ;;
        --setup) setup=$2 ;;
        --iterations) iterations=$2 ;;
      esac
      shift ;;
    *) echo "$0: unknown argument \"$1\"; --help lists what there is" >&2; exit 2 ;;
  esac
  shift
done
if ! [[ $iterations =~ ^[0-9]{1,6}$ ]] || ((iterations < 40)); then
  echo "$0: --iterations is \"$iterations\": it must be a number from 40 on" >&2
  exit 2
fi
policies=random,acab,laws,auto
pages=first-write
if [ -n "${memory:-}" ]; then
  policies=random,laws,bats,auto
  pages=follow-plan
  [ ${#machines[@]} -gt 0 ] || machines=(xeon-phi-7210 xeon-max-9480 epyc-9654-cxl)
  [ ${#workloads[@]} -gt 0 ] || workloads=(heat ge pagerank components)
fi
[ ${#machines[@]} -gt 0 ] || mapfile -t machines < <(cd machines && printf '%s\n' *.xml | sed 's/\.xml$//')
if [ ${#workloads[@]} -eq 0 ]; then
  workloads=(heat heat-ir sor sor-ir ge ge-ir 9p 9p-ir 6p 6p-ir 25p 25p-ir)
  if [ -n "${quick:-}" ]; then workloads=(heat sor-ir ge 6p-ir); fi
fi

size_of() { # WORKLOAD NUMBER
  case $1 in
    ge*) set -- "$2" size=256 size=512 size=1024 ;;
    6p* | 25p*) set -- "$2" planes=64,rows=64,columns=64 planes=128,rows=64,columns=128 planes=256,rows=128,columns=128 ;;
    pagerank) set -- "$2" nodes=65536,edges=10,node_bytes=1024 nodes=262144,edges=10,node_bytes=1024 nodes=1048576,edges=10,node_bytes=1024 ;;
    components) set -- "$2" nodes=32768,edges=20,node_bytes=2048 nodes=131072,edges=20,node_bytes=2048 nodes=524288,edges=20,node_bytes=2048 ;;
    sor*) set -- "$2" rows=1024,columns=512 rows=2048,columns=512 rows=8192,columns=1024 ;;
    *) set -- "$2" rows=512,columns=512 rows=1024,columns=1024 rows=4096,columns=1024 ;;
  esac
  shift "$1"
  echo "$1"
}

scripts/build.sh release nearfork_command >&2
seen=$(mktemp -d)
trap 'rm -rf "$seen"' EXIT
done=0
all=$((${#workloads[@]} * ${#sizes[@]} * ${#machines[@]}))
for workload in "${workloads[@]}"; do
  for number in "${sizes[@]}"; do
    for machine in "${machines[@]}"; do
      done=$((done + 1))
      echo "$done of $all: $workload, size $number, $machine" >&2
      NEARFORK_MACHINE_FOLDER=machines build/release/nearfork sim "$workload" --size "$(size_of "$workload" "$number")" --setup "$setup" \
        --machine "$machine" --policy "$policies" --pages "$pages" --iterations "$iterations" --json >"$seen/$(printf %05d "$done").json" 2>"$seen/failure" ||
        { cat "$seen/failure" >&2; exit 1; }
    done
  done
done
python3 scripts/auto_matrix.py "$form" "$seen"/*.json

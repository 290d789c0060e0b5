#!/usr/bin/env bash
# Makes the pictures of README and docs/ from runs of this build: docs/pictures. The charts of docs/VALIDATION.md are made by
# scripts/validation.sh.
# usage: scripts/pictures.sh [NEARFORK]   the command to run; if not given, the preset release is built
set -euo pipefail
cd "$(dirname "$0")/.."

nearfork=${1:-}
if [ -z "$nearfork" ]; then
  scripts/build.sh release nearfork_command
  nearfork=build/release/nearfork
fi
command -v chromium >/dev/null || {
  echo "$0: no chromium, which draws the pages: apt-get install chromium" >&2
  exit 1
}
nearfork=$(realpath "$nearfork")
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT
mkdir -p docs/pictures
root=$PWD

picture() { # PAGE PICTURE HEIGHT
  chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1100,"$3" --virtual-time-budget=5000 \
    --screenshot="$root/docs/pictures/$2" "file://$1" 2>"$parts/chromium" || {
    cat "$parts/chromium" >&2
    exit 1
  }
}

cd "$parts"
# Twelve iterations of heat on four sockets: plain stealing, and auto with its profile, trials and steady iterations.
"$nearfork" sim heat --size rows=1024,columns=1024 --iterations 12 --machine opteron-8380 --policy random,auto --trace heat.pftrace \
  --json >heat.json
"$nearfork" report heat.json heat.pftrace -o timeline.html
picture "$parts/timeline.html" timeline.png 1560

# A real run here, with a trace, a recording, and the recording simulated on four sockets: what advise makes of it.
"$nearfork" advise --machine opteron-8380 --html advice.html -- "$nearfork" bench heat \
  --size rows=1024,columns=1024,iterations=12 --reps 1 --workers 2 --policy random >advice.txt
picture "$parts/advice.html" advice.png 720

# Tasks exactly once.
for policy in random laws auto; do
  check "tasks exactly once, steals add up: $policy" env NEARFORK_POLICY="$policy" lab_exactly_once
done

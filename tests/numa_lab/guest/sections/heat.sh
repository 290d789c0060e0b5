# The built-in workload, on memory that is not placed.
[ "$policies" -ge 5 ] || fail 'policies' "the command lists $policies"
heat 'heat'

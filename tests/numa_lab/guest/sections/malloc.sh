# A program with malloc and vectors alone: its large blocks follow the plan once the library is preloaded, and lie where their
# threads touched them first without it. `nearfork run` names its own line beside the program's.
if NEARFORK_POLICY=laws nearfork run --place-malloc -- lab_malloced_pages "$NUMA_LAB_LEAST_PERCENT" >/tmp/out 2>&1; then
  ok "pages of malloc lie where the plan says: $(grep -e '^malloc:' /tmp/out)"
else
  fail 'pages of malloc lie where the plan says' 'they do not' /tmp/out
fi
expect 'the blocks were placed' 'nearfork: placed 2 blocks of malloc' /tmp/out 1
if NEARFORK_POLICY=laws lab_malloced_pages 90 >/tmp/out 2>&1; then
  fail 'without the library a vector lies where one thread touched it' 'it follows the plan' /tmp/out
else
  expect 'without the library a vector lies where one thread touched it' 'wrong: vector: at least' /tmp/out 1
fi

# The process is stopped and continued while it runs.
start_rounds random
expect_progress 'rounds go on'
for time in $(seq 20); do
  kill -STOP "$runner"
  sleep 0.05
  kill -CONT "$runner"
  sleep 0.05
done
expect_progress 'rounds go on after 20 stops'
end_rounds 'stopped and continued, every task exactly once'

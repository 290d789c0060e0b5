#include "sim/dataflow/dataflow_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nearfork/error.hpp>

#include "unit/sim/dataflow/random_programs.hpp"
#include "unit/sim/machine/hand_models.hpp"

namespace nearfork::sim {
namespace {

class dataflow_runs : public testing::Test {
 protected:
  [[nodiscard]] dataflow_settings settings(push_heuristic push, buffer_allocation allocation) const {
    dataflow_settings made{.model = round_model(*where_, 1000)};
    made.activation.push = push;
    made.activation.threshold_bytes = 4096;
    made.allocation = allocation;
    made.keeps_log = true;
    return made;
  }
  [[nodiscard]] std::vector<dataflow_settings> all_settings() const {
    using enum push_heuristic;
    using enum buffer_allocation;
    std::vector<dataflow_settings> made{settings(none, immediate),   settings(input, immediate),
                                        settings(output, immediate), settings(weighted, immediate),
                                        settings(none, deferred),    settings(input, deferred)};
    made.push_back(made.back());
    made.back().victims = victim_choice::flat;
    made.push_back(settings(input, deferred));
    made.back().mailbox_tasks = 1;
    return made;
  }

  const std::shared_ptr<const machine> where_ =
      load_machine("package:4 [numa] l3:1(size=1MiB) l2:1(size=64KiB) l1:1(size=8KiB) core:2 pu:1");
};

/// Each task once, after the tasks that it waits for: by its id, not by counts.
void expect_each_once_after_its_inputs(const dataflow_program& what, const dataflow_report& seen) {
  std::vector<std::uint64_t> began(what.tasks(), 0), ended(what.tasks(), 0), runs(what.tasks(), 0);
  for (const task_times& one : seen.log) {
    ++runs[one.task];
    began[one.task] = one.began_ps;
    ended[one.task] = one.ended_ps;
  }
  for (std::uint32_t task = 0; task < what.tasks(); ++task) {
    EXPECT_EQ(runs[task], 1U) << "task " << task;
    for (const std::uint32_t follower : what.followers(task)) EXPECT_GE(began[follower], ended[task]);
    for (const std::uint32_t created : what.created_by(task)) EXPECT_GE(began[created], ended[task]);
  }
}

TEST_F(dataflow_runs, every_task_once_after_its_inputs) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const dataflow_program what = random_layers(12, 20, seed);
    for (dataflow_settings& how : all_settings()) {
      how.seed = seed;
      expect_each_once_after_its_inputs(what, run_dataflow(what, *where_, how));
    }
  }
}

TEST_F(dataflow_runs, deferred_buffers_are_never_written_from_afar) {
  bool immediate_does = false;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const dataflow_program what = random_layers(12, 20, seed);
    for (const push_heuristic push : {push_heuristic::none, push_heuristic::input}) {
      const dataflow_report seen = run_dataflow(what, *where_, settings(push, buffer_allocation::deferred));
      EXPECT_EQ(seen.written.remote, 0U) << seed;
      EXPECT_EQ(seen.pages.fell_back + seen.pool_fell_back, 0U);
      const dataflow_report other = run_dataflow(what, *where_, settings(push, buffer_allocation::immediate));
      immediate_does = immediate_does || other.written.remote > 0;
    }
  }
  EXPECT_TRUE(immediate_does);
}

TEST_F(dataflow_runs, a_full_node_is_the_only_reason_for_remote_writes) {
  const dataflow_program what = random_layers(12, 20, 3);
  dataflow_settings how = settings(push_heuristic::input, buffer_allocation::deferred);
  how.model.node_bytes = {4 << 20, 32 << 10, 4 << 20, 4 << 20};
  const dataflow_report seen = run_dataflow(what, *where_, how);
  EXPECT_GT(seen.pages.fell_back, 0U);
  EXPECT_GT(seen.written.remote, 0U);
  expect_each_once_after_its_inputs(what, seen);
}

TEST_F(dataflow_runs, a_chain_holds_all_buffers_or_two) {
  const dataflow_program what = chain_of(20);
  const auto live = [&](buffer_allocation when) {
    return run_dataflow(what, *where_, settings(push_heuristic::none, when)).most_live_bytes / test_block_bytes;
  };
  EXPECT_EQ(live(buffer_allocation::immediate), 19U) << "each between two of 20 tasks";
  EXPECT_EQ(live(buffer_allocation::deferred), 2U);
  EXPECT_EQ(most_live_bytes(what, buffer_allocation::immediate, 4096), 19 * test_block_bytes);
  EXPECT_EQ(most_live_bytes(what, buffer_allocation::deferred, 4096), 2 * test_block_bytes);
}

TEST_F(dataflow_runs, the_same_seed_gives_the_same_report) {
  const dataflow_program what = random_layers(10, 30, 7);
  for (dataflow_settings& how : all_settings()) {
    const dataflow_report once = run_dataflow(what, *where_, how);
    EXPECT_EQ(once, run_dataflow(what, *where_, how));
  }
  dataflow_settings other = settings(push_heuristic::none, buffer_allocation::immediate);
  const dataflow_report once = run_dataflow(what, *where_, other);
  other.seed = 2;
  EXPECT_NE(once, run_dataflow(what, *where_, other));
}

TEST_F(dataflow_runs, take_at_least_work_over_workers_and_span) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const dataflow_program what = random_layers(10, 30, seed);
    for (const dataflow_settings& how : all_settings()) {
      const dataflow_report seen = run_dataflow(what, *where_, how);
      EXPECT_GE(seen.duration_ps, work_ns(what) * 1000 / where_->cores().size());
      EXPECT_GE(seen.duration_ps, span_ns(what) * 1000);
      EXPECT_LE(seen.busy_ps, seen.duration_ps * where_->cores().size());
    }
  }
}

/// Greedy: while tasks are ready nobody sleeps. Without memory and the scheduler's acts, Graham's bound.
TEST_F(dataflow_runs, take_at_most_work_over_workers_and_span_if_acts_cost_nothing) {
  dataflow_program what;
  rng random(5);
  for (std::uint32_t i = 0; i < 400; ++i) {
    what.add_task(1 + random.below(10'000), {});
    if (i > 20) what.add_order(random.below(i - 20), i);
  }
  what.finish();
  dataflow_settings how = settings(push_heuristic::none, buffer_allocation::immediate);
  how.model.costs = {.fork_ps = 0,
                     .planned_fork_ps = 0,
                     .steal_ps = {},
                     .failed_look_ps = 0,
                     .pool_ps = 0,
                     .suspend_ps = 0,
                     .resume_ps = 0,
                     .notice_ps = 0,
                     .spin_ps = never,
                     .wake_ps = 0,
                     .notify_ps = 0};
  const dataflow_report seen = run_dataflow(what, *where_, how);
  EXPECT_LE(seen.duration_ps, (work_ns(what) / where_->cores().size() + span_ns(what)) * 1000);
}

/// The producer of both inputs runs on another node than the one that the second is pushed to.
TEST_F(dataflow_runs, pushed_tasks_run_beside_their_inputs_unless_robbed) {
  const dataflow_program what = random_layers(30, 24, 9);
  dataflow_settings how = settings(push_heuristic::input, buffer_allocation::deferred);
  const dataflow_report pushed = run_dataflow(what, *where_, how);
  how.activation.push = push_heuristic::none;
  const dataflow_report stayed = run_dataflow(what, *where_, how);
  EXPECT_GT(pushed.pushed, 0U);
  EXPECT_EQ(stayed.pushed, 0U);
  EXPECT_GT(pushed.read.local, stayed.read.local);
}

TEST_F(dataflow_runs, a_full_mailbox_leaves_tasks_where_they_are) {
  const dataflow_program what = random_layers(20, 60, 4);
  dataflow_settings how = settings(push_heuristic::input, buffer_allocation::deferred);
  how.mailbox_tasks = 1;
  const dataflow_report seen = run_dataflow(what, *where_, how);
  EXPECT_GT(seen.mailbox_full, 0U);
  expect_each_once_after_its_inputs(what, seen);
}

TEST_F(dataflow_runs, move_pages_of_global_blocks_to_who_uses_them) {
  dataflow_program what;
  const std::uint32_t block = what.add_block(flow_memory::global, 1 << 20);
  const flow_access read{block, access_kind::read, 1 << 20};
  for (int i = 0; i < 20; ++i) {
    what.add_task(1000, std::span(&read, 1));
    if (i > 0) what.add_order(static_cast<std::uint32_t>(i - 1), static_cast<std::uint32_t>(i));
  }
  what.finish();
  dataflow_settings how = settings(push_heuristic::none, buffer_allocation::immediate);
  how.workers = 1;
  const dataflow_report stays = run_dataflow(what, *where_, how);
  EXPECT_EQ(stays.pages.moved, 0U);
  EXPECT_EQ(stays.pages.of_node, (std::vector<std::uint64_t>{64, 64, 64, 64})) << "interleaved";
  how.balancing =
      balancing_model{.scan_bytes = 1 << 20, .scan_period_ns = 100'000, .fault_ns = 100, .locked_move_4k_ns = 0};
  const dataflow_report moves = run_dataflow(what, *where_, how);
  EXPECT_EQ(moves.pages.moved, 192U);
  EXPECT_EQ(moves.pages.of_node[0], 256U);
  EXPECT_GE(moves.hint_faults, 2 * 256U);
}

TEST_F(dataflow_runs, refuse_what_cannot_be) {
  const dataflow_program what = chain_of(3);
  EXPECT_THROW((void)run_dataflow(what, *where_, settings(push_heuristic::weighted, buffer_allocation::deferred)),
               error);
  dataflow_settings how = settings(push_heuristic::none, buffer_allocation::immediate);
  how.mailbox_tasks = 0;
  EXPECT_THROW((void)run_dataflow(what, *where_, how), error);
  how = settings(push_heuristic::none, buffer_allocation::immediate);
  how.pool_bytes = 1;
  EXPECT_THROW((void)run_dataflow(what, *where_, how), error);
}

TEST_F(dataflow_runs, stop_when_they_are_told_to) {
  const dataflow_program what = random_layers(100, 100, 1);
  dataflow_settings how = settings(push_heuristic::none, buffer_allocation::immediate);
  how.goes_on = [](double) { return false; };
  const dataflow_report seen = run_dataflow(what, *where_, how);
  EXPECT_TRUE(seen.interrupted);
  EXPECT_LT(seen.tasks, what.tasks());
}

}  // namespace
}  // namespace nearfork::sim

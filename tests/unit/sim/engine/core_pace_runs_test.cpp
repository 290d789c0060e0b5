// Whole runs in which hardware threads share cores, or clocks change, worked out by hand.
#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include <nearfork/config.hpp>
#include <nearfork/error.hpp>

#include "machine/described/named_machines.hpp"
#include "plan/policies/random_policy.hpp"
#include "sim/engine/engine.hpp"
#include "unit/sim/machine/hand_models.hpp"

namespace nearfork::sim {
namespace {

constexpr std::uint64_t nanosecond = 1000;
const random_policy stealing_at_random(random_policy::workers::pinned);

/// The root forks two tasks that compute.
task_graph two_tasks(std::uint64_t first_ns, std::uint64_t second_ns) {
  task_tree tree;
  (void)tree.try_fork(tree_root, 2);
  task_graph graph(std::move(tree));
  graph.set_work(tree_node{1}, 0, first_ns);
  graph.set_work(tree_node{2}, 0, second_ns);
  return graph;
}

struct run_on_one_core {
  explicit run_on_one_core(const char* shape, double smt_speedup = 1.25, clock_rule* clocks = nullptr)
      : where(load_machine(shape)), model(round_model(*where)) {
    model.kinds[0].smt_speedup = smt_speedup;
    model.power = power_model{.cores = {{.busy_mw = 10'000, .idle_mw = 2'000}}, .package_mw = 5'000};
    on.emplace(*where, stealing_at_random,
               engine_settings{.workers = static_cast<std::uint32_t>(where->pus().size()),
                               .costs = round_costs(),
                               .model = model,
                               .clocks = clocks},
               1 << 20);
  }
  std::shared_ptr<const machine> where;
  machine_model model;
  std::optional<engine> on;
};

constexpr const char* two_threads = "package:1 [numa] l2:1(size=1MiB) core:1 pu:2";

// Worker 0 begins its task at 20. Worker 1 sees the other at 200, and from then on both have 5/8 of the core. It steals
// until 1200. Worker 0's other 9820 take 15712, until 15912; it has the join, finds nothing and leaves the core. By
// then worker 1 has done 14712 * 5/8 = 9195 of its 10000; the other 805 go at full speed. The parent goes on 40 later.
TEST(engine, threads_of_one_core_share_it) {
  run_on_one_core at(two_threads);
  const iteration_report seen = at.on->run(two_tasks(10'000, 10'000), {}, {});
  EXPECT_EQ(seen.duration_ps, (15'912 + 805 + 40) * nanosecond);
  EXPECT_EQ(seen.busy_ps, (std::vector<std::uint64_t>{(15'912 - 20) * nanosecond, (15'912 + 805 - 1200) * nanosecond}));
  EXPECT_EQ(seen.schedule.steals[static_cast<std::size_t>(steal_distance::core)], 1U);
}

// The core works while any of its threads does: from 20 until 16717.
TEST(engine, a_core_of_two_busy_threads_uses_the_power_of_one_core) {
  run_on_one_core at(two_threads);
  const iteration_report seen = at.on->run(two_tasks(10'000, 10'000), {}, {});
  EXPECT_EQ(seen.energy_nj, (16'717 - 20) * 10 + (20 + 40) * 2 + 16'757 * 5);
}

TEST(engine, two_threads_do_as_much_as_one_where_they_gain_nothing) {
  run_on_one_core at(two_threads, 1);
  const iteration_report shared = at.on->run(two_tasks(1'000'000, 1'000'000), {}, {});
  EXPECT_NEAR(static_cast<double>(shared.duration_ps), 2e6 * nanosecond, 3e3 * nanosecond);
}

TEST(engine, refuses_more_workers_than_hardware_threads) {
  const auto where = load_machine(two_threads);
  EXPECT_THROW(engine(*where, stealing_at_random, {.workers = 3, .model = round_model(*where)}, 0), error);
}

/// The root forks `tasks` that each do the same.
task_graph many_tasks(std::uint32_t tasks, std::uint64_t compute_ns, access_order order, std::uint64_t bytes_of_task) {
  task_tree tree;
  (void)tree.try_fork(tree_root, tasks);
  task_graph graph(std::move(tree));
  for (std::uint32_t i = 0; i < tasks; ++i) {
    const data_access data[] = {{i * bytes_of_task, bytes_of_task, access_kind::read, order}};
    graph.set_work(tree_node{1 + i}, 0, compute_ns, data);
  }
  return graph;
}

// All four threads of each core of Knights Landing: 1.2 times as fast where tasks compute; four times where they wait
// for one access after the other; no faster where one thread alone fills the miss buffers.
TEST(engine, knights_landing_runs_a_worker_on_each_of_256_threads) {
  const auto knl = named_machine("xeon-phi-7210", NEARFORK_SOURCE_DIR "/machines");
  constexpr std::uint32_t tasks = 1024;
  const auto gain = [&](std::uint64_t compute_ns, access_order order, std::uint64_t bytes_of_task) {
    const task_graph graph = many_tasks(tasks, compute_ns, order, bytes_of_task);
    const auto time_on = [&](std::uint32_t workers) {
      machine_model model = model_of(*knl);
      for (std::uint64_t& line_ps : model.node_line_ps) line_ps = 0;
      engine on(*knl, stealing_at_random, {.workers = workers, .model = model}, tasks * bytes_of_task);
      return static_cast<double>(on.run(graph, {}, {}).duration_ps);
    };
    return time_on(64) / time_on(256);
  };
  EXPECT_NEAR(gain(1'000'000, access_order::sweep, 0), 1.2, 0.06);
  EXPECT_NEAR(gain(0, access_order::chain, 64 << 10), 4, 0.3);
  EXPECT_NEAR(gain(0, access_order::sweep, 64 << 7), 1, 0.1);
}

constexpr const char* one_core = "package:1 [numa] l2:1(size=1MiB) core:1 pu:1";

// 20 for the fork; at 520 half of the first task's 1000 is done. At half the clock the rest takes 1000, and the second
// task 2000.
TEST(engine, a_clock_changes_in_the_middle_of_a_task) {
  run_on_one_core at(one_core);
  const std::uint32_t mhz = at.model.kinds[0].mhz;
  at.on->change_clock(core_id{0}, mhz / 2, 520 * nanosecond);
  const iteration_report seen = at.on->run(two_tasks(1000, 1000), {}, {});
  EXPECT_EQ(seen.duration_ps, (520 + 1000 + 2000) * nanosecond);
  EXPECT_EQ(seen.busy_ps, std::vector<std::uint64_t>{3500 * nanosecond});
  EXPECT_EQ(seen.energy_nj, 3520 * (5 + 2) + 500 * 8 + 3000 * 1) << "at half the clock an eighth of 8 W";
  EXPECT_EQ(at.on->run(two_tasks(1000, 1000), {}, {}).duration_ps, (20 + 4000) * nanosecond) << "as the clock is now";
}

TEST(engine, a_clock_may_rise_and_fall_within_one_task) {
  run_on_one_core at(one_core);
  const std::uint32_t mhz = at.model.kinds[0].mhz;
  at.on->change_clock(core_id{0}, 2 * mhz, 120 * nanosecond);
  at.on->change_clock(core_id{0}, mhz, 320 * nanosecond);
  const iteration_report seen = at.on->run(two_tasks(1000, 0), {}, {});
  EXPECT_EQ(seen.duration_ps, (320 + 500) * nanosecond) << "100, then 400 in 200, then 500";
}

TEST(engine, refuses_clocks_of_the_past_and_of_no_core) {
  run_on_one_core at(one_core);
  (void)at.on->run(two_tasks(1000, 1000), {}, {});
  EXPECT_THROW(at.on->change_clock(core_id{0}, 1000, 0), error);
  EXPECT_THROW(at.on->change_clock(core_id{1}, 1000, at.on->now_ps()), error);
  EXPECT_THROW(at.on->change_clock(core_id{0}, 0, at.on->now_ps()), error);
}

/// While only one core works, it runs twice as fast.
class sprint final : public clock_rule {
 public:
  sprint(std::uint32_t cores, std::uint32_t mhz, std::uint64_t after_ps)
      : cores_(cores), mhz_(mhz), after_ps_(after_ps) {}
  std::uint64_t delay_ps() const noexcept override { return after_ps_; }
  std::vector<clock_change> choose(const core_pace& now) override {
    std::uint32_t working = 0;
    for (std::uint32_t c = 0; c < cores_; ++c) working += now.busy_workers(core_id{c});
    std::vector<clock_change> wanted;
    for (std::uint32_t c = 0; c < cores_; ++c) wanted.push_back({core_id{c}, working == 1 ? 2 * mhz_ : mhz_});
    return wanted;
  }

 private:
  std::uint32_t cores_;
  std::uint32_t mhz_;
  std::uint64_t after_ps_;
};

// Worker 0 alone runs at double clock: 180 from 20 to 200 do 360. From 200 on worker 1 has a task, which it begins at
// 1200; both cores run at the model's clock. Worker 0 ends at 200 + 9640 = 9840. Worker 1 has done 8640 by then, and
// the other 11360 take 5680.
TEST(engine, a_rule_changes_clocks_when_cores_begin_and_stop) {
  sprint rule(2, default_model(*load_machine(one_core)).kinds[0].mhz, 0);
  run_on_one_core at("package:1 [numa] l2:1(size=1MiB) core:2 pu:1", 1, &rule);
  const iteration_report seen = at.on->run(two_tasks(10'000, 20'000), {}, {});
  EXPECT_EQ(seen.duration_ps, (9840 + 5680 + 40) * nanosecond);
  EXPECT_EQ(seen.busy_ps, (std::vector<std::uint64_t>{(9840 - 20) * nanosecond, (9840 + 5680 - 1200) * nanosecond}));
}

// The same, but each change comes 100 later. Worker 0 does 80 from 20 to 100, 400 until 300 and the other 9520 until
// 9820. Worker 1 does 8720 from 1200 to 9920, and the other 11280 in 5640.
TEST(engine, a_rule_may_take_its_time) {
  sprint rule(2, default_model(*load_machine(one_core)).kinds[0].mhz, 100 * nanosecond);
  run_on_one_core at("package:1 [numa] l2:1(size=1MiB) core:2 pu:1", 1, &rule);
  const iteration_report seen = at.on->run(two_tasks(10'000, 20'000), {}, {});
  EXPECT_EQ(seen.duration_ps, (9920 + 5640 + 40) * nanosecond);
}

}  // namespace
}  // namespace nearfork::sim

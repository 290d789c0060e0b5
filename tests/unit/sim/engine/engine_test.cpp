// Cases of two or three tasks, worked out by hand: what happens when, to the nanosecond.
#include "sim/engine/engine.hpp"

#include <gtest/gtest.h>

#include <array>

#include <nearfork/error.hpp>

#include "plan/policies/locality_orders.hpp"
#include "plan/policies/random_policy.hpp"
#include "unit/sim/machine/hand_models.hpp"

namespace nearfork::sim {
namespace {

constexpr std::uint64_t ns = 1000;
const random_policy stealing(random_policy::workers::pinned);

task_graph forks_two(std::uint64_t before_ns, std::uint64_t child_ns, std::uint64_t after_ns = 0) {
  task_tree tree;
  (void)tree.try_fork(tree_root, 2);
  task_graph graph(std::move(tree));
  graph.set_work(tree_root, 0, before_ns);
  graph.set_work(tree_root, 1, after_ns);
  graph.set_work(tree_node{1}, 0, child_ns);
  graph.set_work(tree_node{2}, 0, child_ns);
  return graph;
}

engine engine_on(const machine& where, const policy& how, std::uint64_t data_bytes = 1 << 20,
                 std::uint64_t node_line_ps = 0) {
  return {
      where, how, {.costs = round_costs(), .model = round_model(where, node_line_ps), .keep_tasks = true}, data_bytes};
}

/// Each of the root's children is a subtree of its own, in its given domain.
plan subtrees_in(const task_graph& graph, std::vector<std::uint16_t> domains, pool_class pool = pool_class::high,
                 spawn_order order = spawn_order::parent_first) {
  return {graph.tree(), [&](tree_node node) -> placement {
            if (node == tree_root) return {.children = order};
            return {.domain = domains[index_of(node) - 1], .pool = pool, .subtree_root = true};
          }};
}

constexpr iteration_kind planned{.planned = true};

TEST(engine, one_worker_does_all_in_order) {
  const machine where = machine_of(1, 1);
  engine alone = engine_on(where, stealing);
  const iteration_report seen = alone.run(forks_two(100, 1000, 50), {}, {});
  EXPECT_EQ(seen.duration_ps, (100 + 2 * 10 + 2 * 1000 + 50) * ns);
  EXPECT_EQ(seen.busy_ps, std::vector<std::uint64_t>{2150 * ns});
  EXPECT_EQ(seen.stall_ps, std::vector<std::uint64_t>{0}) << "no task touches data";
  ASSERT_EQ(seen.tasks.size(), 3U);
  EXPECT_EQ(seen.tasks[1].task, tree_node{1}) << "the first child first";
  EXPECT_EQ(seen.schedule, schedule_counts{});
}

// Worker 1 searches from the start. At 0 the second child is pushed; worker 1 sees and takes it at 200, starts it at
// 1200 and ends it at 11200. The parent has waited since 10020.
TEST(engine, a_steal_and_a_join_that_waits) {
  const machine where = machine_of(1, 2);
  engine pair = engine_on(where, stealing);
  const iteration_report seen = pair.run(forks_two(0, 10'000), {}, {});
  EXPECT_EQ(seen.duration_ps, (200 + 1000 + 10'000 + 40) * ns);
  EXPECT_EQ(seen.schedule.steals[static_cast<std::size_t>(steal_distance::cache)], 1U);
  EXPECT_EQ(seen.schedule.steals_between_domains, 0U);
  EXPECT_EQ(seen.schedule.suspensions, 1U);
  EXPECT_EQ(seen.schedule.notices, 1U);
  EXPECT_EQ(seen.schedule.wakes, 0U);
  EXPECT_EQ(seen.tasks[2].began_on, 1U);
  EXPECT_EQ(seen.tasks[0].ended_on, 1U) << "who ends the last child goes on with the parent";
  EXPECT_EQ(seen.busy_ps, (std::vector<std::uint64_t>{10'000 * ns, 10'000 * ns}));
}

// A core of half the clock computes for 4300 where the other core computes for 2150. The scheduler's acts take no
// longer.
TEST(engine, a_slower_core_computes_longer) {
  const machine where = machine_of(1, 1);
  machine_model model = round_model(where);
  model.core_mhz = {model.kinds[0].mhz / 2};
  engine slow(where, stealing, {.costs = round_costs(), .model = model, .keep_tasks = true}, 1 << 20);
  const iteration_report seen = slow.run(forks_two(100, 1000, 50), {}, {});
  EXPECT_EQ(seen.duration_ps, (2 * 100 + 2 * 10 + 2 * 2 * 1000 + 2 * 50) * ns);
  EXPECT_EQ(seen.busy_ps, std::vector<std::uint64_t>{2 * 2150 * ns});
}

// Clock times work per cycle is 2000 * 0.25, half the speed of 1000 at which the program was measured.
TEST(engine, computation_goes_by_clock_and_work_per_cycle) {
  const machine where = machine_of(1, 1);
  machine_model model = round_model(where);
  model.reference_speed = 1000;
  model.kinds[0].mhz = 2000;
  model.kinds[0].work_per_cycle = 0.25;
  engine other(where, stealing, {.costs = round_costs(), .model = model}, 1 << 20);
  EXPECT_EQ(other.run(forks_two(100, 1000), {}, {}).busy_ps, std::vector<std::uint64_t>{2 * 2100 * ns});
}

// One core of 10 W busy and 2 W idle, a package of 5 W: 2150 ns busy, 20 ns in forks.
TEST(engine, reports_the_energy_of_each_iteration) {
  const machine where = machine_of(1, 1);
  machine_model model = round_model(where);
  model.power = power_model{.cores = {{.busy_mw = 10'000, .idle_mw = 2'000}}, .package_mw = 5'000};
  engine alone(where, stealing, {.costs = round_costs(), .model = model}, 1 << 20);
  const iteration_report seen = alone.run(forks_two(100, 1000, 50), {}, {});
  EXPECT_EQ(seen.energy_nj, 2150 * 10 + 20 * 2 + 2170 * 5);
  EXPECT_EQ(engine_on(where, stealing).run(forks_two(1, 1), {}, {}).energy_nj, std::nullopt);
}

// Worker 1 is parked from 1000 on. At 5000 it is woken, which costs 600; it looks at 12000.
TEST(engine, a_parked_worker_is_woken) {
  const machine where = machine_of(1, 2);
  engine pair = engine_on(where, stealing);
  const iteration_report seen = pair.run(forks_two(5'000, 10'000), {}, {});
  EXPECT_EQ(seen.tasks[1].began_ps, 5'000 * ns);
  EXPECT_EQ(seen.duration_ps, (5'000 + 7'000 + 1'000 + 10'000 + 40) * ns);
  EXPECT_EQ(seen.schedule.wakes, 1U);
  EXPECT_EQ(seen.schedule.notices, 0U);
}

TEST(engine, a_worker_may_search_without_end) {
  const machine where = machine_of(1, 2);
  cost_model costs = round_costs();
  costs.spin_ps = never;
  engine pair(where, stealing, {.costs = costs, .model = round_model(where)}, 0);
  const iteration_report seen = pair.run(forks_two(5'000'000, 10'000), {}, {});
  EXPECT_EQ(seen.duration_ps, (5'000'000 + 200 + 1'000 + 10'000 + 40) * ns);
  EXPECT_EQ(seen.schedule.notices, 1U);
  EXPECT_EQ(seen.schedule.wakes, 0U);
}

TEST(engine, the_nearest_worker_that_searches_takes_the_work) {
  const machine where = machine_of(2, 2);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    engine four(where, stealing,
                {.seed = seed, .costs = round_costs(), .model = round_model(where), .keep_tasks = true}, 0);
    EXPECT_EQ(four.run(forks_two(0, 10'000), {}, {}).tasks[2].began_on, 1U);
  }
}

// 0-2 and 2-1 are linked, so from 0 to 1 there are two links.
TEST(engine, a_worker_is_nearer_over_one_link_than_over_two) {
  const machine where = machine_of(3, 1);
  machine_model model = round_model(where);
  model.between = {.seats = 3,
                   .seat_of_domain = {0, 1, 2},
                   .seat_of_node = {0, 1, 2},
                   .links = {{0, 2, 0}, {2, 1, 0}},
                   .further_link_ps = 50 * ns};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    engine three(where, stealing, {.seed = seed, .costs = round_costs(), .model = model, .keep_tasks = true}, 0);
    EXPECT_EQ(three.run(forks_two(0, 10'000), {}, {}).tasks[2].began_on, 2U);
  }
}

TEST(engine, chance_decides_between_workers_that_are_equally_near) {
  const machine where = machine_of(1, 3);
  std::array<std::uint32_t, 3> began{};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    engine three(where, stealing,
                 {.seed = seed, .costs = round_costs(), .model = round_model(where), .keep_tasks = true}, 0);
    ++began[three.run(forks_two(0, 10'000), {}, {}).tasks[2].began_on];
  }
  EXPECT_EQ(began[0], 0U);
  EXPECT_GT(began[1], 0U);
  EXPECT_GT(began[2], 0U);
}

TEST(engine, a_child_that_nobody_took_is_taken_back) {
  const machine where = machine_of(1, 2);
  engine pair = engine_on(where, stealing);
  const iteration_report seen = pair.run(forks_two(0, 50), {}, {});
  EXPECT_EQ(seen.duration_ps, (20 + 2 * 50) * ns) << "over before worker 1 has seen anything";
  EXPECT_EQ(seen.schedule.suspensions, 0U);
  const iteration_report again = pair.run(forks_two(0, 10'000), {}, {});
  EXPECT_EQ(again.schedule.steals[1], 1U) << "it came in vain, and comes again";
}

TEST(engine, counts_steals_between_domains) {
  const machine where = machine_of(2, 1);
  engine pair = engine_on(where, stealing);
  const iteration_report seen = pair.run(forks_two(0, 10'000), {}, {});
  EXPECT_EQ(seen.schedule.steals[static_cast<std::size_t>(steal_distance::machine)], 1U);
  EXPECT_EQ(seen.schedule.steals_between_domains, 1U);
  EXPECT_EQ(seen.duration_ps, (300 + 1300 + 10'000 + 40) * ns);
}

// Worker 1 has work from 1600 on. Worker 0 has none from 10020 to the end at 11640.
TEST(engine, counts_what_the_workers_of_each_domain_wait) {
  const machine where = machine_of(2, 1);
  engine pair = engine_on(where, stealing);
  const iteration_report seen = pair.run(forks_two(0, 10'000), {}, {});
  EXPECT_EQ(seen.wait_ps_of_domain, (std::vector<std::uint64_t>{1'620 * ns, 1'600 * ns}));
}

// From 0 on both children go to pools (20 for the fork, 500 for each push). Worker 1 sees its child at 700, starts it
// at 1200 and ends it at 11200. Worker 0 waits for that child from 1020 on. Meanwhile (30 to leave its stack, 500 to
// take) it runs the other child from 1550 to 11550. Worker 1 goes on with the parent at 11240, which waits again;
// worker 0 ends the parent at 11590.
TEST(engine, pools_bring_subtrees_where_the_plan_wants_them) {
  const machine where = machine_of(2, 1);
  const fixed_policy how(bitier_order());
  engine pair = engine_on(where, how);
  const task_graph graph = forks_two(0, 10'000);
  const iteration_report seen = pair.run(graph, planned, subtrees_in(graph, {1, 0}));
  EXPECT_EQ(seen.schedule.pool_takes, 2U);
  EXPECT_EQ(seen.schedule.suspensions, 2U);
  EXPECT_EQ(seen.subtrees, (std::vector<subtree_run>{{tree_node{1}, 1, 1}, {tree_node{2}, 0, 0}}));
  EXPECT_EQ(seen.duration_ps, 11'590 * ns);
  EXPECT_FALSE(seen.strayed);
}

// Worker 0 goes on with the first child, wherever that child's home is. Worker 1 sees the other child at 700, takes it
// at 1200 and ends it at 11200. The parent has waited since 10520.
TEST(engine, a_fork_may_send_all_but_the_first_to_pools) {
  const machine where = machine_of(2, 1);
  const fixed_policy how(bitier_order());
  engine pair = engine_on(where, how);
  const task_graph graph = forks_two(0, 10'000);
  const plan said = subtrees_in(graph, {1, 1}, pool_class::high, spawn_order::others_to_pools);
  const iteration_report seen = pair.run(graph, planned, said);
  EXPECT_EQ(seen.schedule.pool_takes, 1U);
  EXPECT_EQ(seen.schedule.suspensions, 1U);
  EXPECT_EQ(seen.subtrees, (std::vector<subtree_run>{{tree_node{1}, 1, 0}, {tree_node{2}, 1, 1}}));
  ASSERT_EQ(seen.tasks.size(), 3U);
  EXPECT_EQ(seen.tasks[2].ended_ps, 11'200 * ns);
}

TEST(engine, a_domain_has_one_subtree_in_progress) {
  const machine where = machine_of(1, 2);
  const fixed_policy how(bitier_order());
  engine pair = engine_on(where, how);
  const task_graph graph = forks_two(0, 10'000);
  const iteration_report seen = pair.run(graph, planned, subtrees_in(graph, {0, 0}));
  ASSERT_EQ(seen.tasks.size(), 3U);
  EXPECT_GE(seen.tasks[2].began_ps, seen.tasks[1].ended_ps);
  EXPECT_EQ(seen.tasks[1].began_on, 0U) << "the head alone takes from pools";
  EXPECT_EQ(seen.tasks[2].began_on, 0U);
}

search_order bitier_order_with_last_looks() {
  search_order order = bitier_order();
  order.add({.where = look::own_high_pool, .item = pool_item::newest, .only = {.rather_than_sleep = true}});
  return order;
}

// Worker 1 is not the head and would park at 1000. Instead it takes the first child: the child begins with the take, at
// 1000, and computes from 1500 to 11500. Worker 0 waits from 1020 on. Its domain is busy now, so it would park at 2020.
// Instead it takes the other child, which computes from 2520 to 12520.
TEST(engine, a_worker_that_would_sleep_starts_the_next_subtree_if_the_order_says_so) {
  const machine where = machine_of(1, 2);
  const fixed_policy how(bitier_order_with_last_looks());
  engine pair = engine_on(where, how);
  const task_graph graph = forks_two(0, 10'000);
  const iteration_report seen = pair.run(graph, planned, subtrees_in(graph, {0, 0}));
  ASSERT_EQ(seen.tasks.size(), 3U);
  EXPECT_EQ(seen.tasks[1].began_ps, 1'000 * ns);
  EXPECT_EQ(seen.tasks[1].began_on, 1U);
  EXPECT_EQ(seen.tasks[2].began_on, 0U);
  EXPECT_EQ(seen.duration_ps, (12'520 + 40) * ns);
}

// Worker 1 sleeps from 1000 on. The push at 5000 wakes it, which costs 600 once and takes 7000; then it searches for
// 1000.
TEST(engine, a_worker_that_sleeps_is_woken_and_starts_the_next_subtree) {
  const machine where = machine_of(1, 2);
  const fixed_policy how(bitier_order_with_last_looks());
  engine pair = engine_on(where, how);
  const task_graph graph = forks_two(5'000, 100'000);
  const iteration_report seen = pair.run(graph, planned, subtrees_in(graph, {0, 0}));
  ASSERT_EQ(seen.tasks.size(), 3U);
  EXPECT_EQ(seen.tasks[1].began_ps, (5'000 + 20 + 2 * 500 + 600) * ns);
  EXPECT_EQ(seen.tasks[1].began_on, 0U);
  EXPECT_EQ(seen.tasks[2].began_ps, (5'000 + 7'000 + 1'000) * ns);
  EXPECT_EQ(seen.tasks[2].began_on, 1U);
}

TEST(engine, subtrees_go_to_a_domain_that_has_run_dry) {
  const machine where = machine_of(2, 1);
  const fixed_policy how(bitier_order());
  engine pair = engine_on(where, how);
  const task_graph graph = forks_two(0, 10'000);
  const iteration_report seen = pair.run(graph, planned, subtrees_in(graph, {0, 0}));
  ASSERT_EQ(seen.subtrees.size(), 2U);
  EXPECT_NE(seen.subtrees[0].domain, seen.subtrees[1].domain);
}

TEST(engine, notices_a_tree_that_its_plan_does_not_foresee) {
  const machine where = machine_of(2, 1);
  const fixed_policy how(bitier_order());
  engine pair = engine_on(where, how);
  const task_graph foreseen = forks_two(0, 100);
  const plan in_force = subtrees_in(foreseen, {0, 1});
  task_tree other;
  (void)other.try_fork(tree_root, 3);
  EXPECT_TRUE(pair.run(task_graph(std::move(other)), planned, in_force).strayed);
  EXPECT_TRUE(pair.run(task_graph(task_tree()), planned, in_force).strayed) << "the fork is missing";
  EXPECT_FALSE(pair.run(foreseen, planned, in_force).strayed);
}

TEST(engine, says_so_when_nobody_may_take_what_is_left) {
  const machine where = machine_of(1, 1);
  const fixed_policy blind({{.where = look::same_domain}});
  engine alone = engine_on(where, blind);
  const task_graph graph = forks_two(0, 100);
  EXPECT_THROW((void)alone.run(graph, planned, subtrees_in(graph, {0, 0})), error);
}

TEST(engine, refuses_work_beyond_what_virtual_time_counts) {
  const machine where = machine_of(1, 1);
  engine alone = engine_on(where, stealing);
  constexpr std::uint64_t days_ns = std::uint64_t{1} << 52;  // 52 days
  for (const std::uint64_t child_ns : {days_ns, ~std::uint64_t{0}})
    EXPECT_THROW((void)alone.run(forks_two(1, child_ns), {}, {}), error) << "also where the sum overflows";
  EXPECT_NO_THROW((void)alone.run(forks_two(days_ns, 1), {}, {}));
  EXPECT_THROW((void)alone.run(forks_two(days_ns, days_ns), {}, {}), error) << "after the iteration before";
  EXPECT_NO_THROW((void)alone.run(forks_two(100, 100), {}, {})) << "a short one still has time";
}

/// One task that reads `lines` lines.
task_graph reads(std::uint64_t lines, std::uint64_t compute_ns) {
  task_graph graph{task_tree()};
  const data_access all[] = {{0, lines * 64, access_kind::read}};
  graph.set_work(tree_root, 0, compute_ns, all);
  return graph;
}

TEST(engine, accesses_and_computation_add_up) {
  const machine where = machine_of(1, 1, 1 << 20);
  engine alone = engine_on(where, stealing);
  const task_graph graph = reads(100, 777);
  const iteration_report first = alone.run(graph, {}, {});
  EXPECT_EQ(first.duration_ps, (777 + 100 * 100) * ns);
  EXPECT_EQ(first.memory.local, 100U);
  EXPECT_EQ(first.traffic_bytes_of_node, std::vector<std::uint64_t>{6400});
  EXPECT_EQ(alone.own_costs()[0].size_bytes, 6400U);
  EXPECT_EQ(alone.own_costs()[0].time_ns, 10'777U);
  const iteration_report second = alone.run(graph, {}, {});
  EXPECT_EQ(second.duration_ps, (777 + 100 * 1) * ns) << "all in L1";
  EXPECT_EQ(second.memory.level[0], (level_count{100, 100}));
  EXPECT_EQ(second.traffic_bytes_of_node, std::vector<std::uint64_t>{0});
  EXPECT_EQ(alone.own_costs()[0].size_bytes, 0U);
}

// A node that needs 150 ns for a line is slower than the core, which asks for a line every 100 ns: the node decides.
TEST(engine, a_slow_node_holds_up_its_readers) {
  const machine where = machine_of(1, 1, 1 << 20);
  engine alone = engine_on(where, stealing, 1 << 20, 150 * ns);
  EXPECT_EQ(alone.run(reads(128, 0), {}, {}).duration_ps, 128 * 150 * ns);
}

// Both children read 64 lines of one node in one slice. Alone that takes 6400 ns. But the node is busy with all 128
// lines until 12800 after the first slice began, at 0 (20 for the fork come after). The second slice starts at 1200.
TEST(engine, readers_of_one_node_wait_for_each_other) {
  const machine where = machine_of(1, 2, 1 << 20);
  engine pair = engine_on(where, stealing, 1 << 20, 100 * ns);
  task_graph graph = forks_two(0, 0);
  const data_access one[] = {{0, 4096, access_kind::read}};
  const data_access other[] = {{4096, 4096, access_kind::read}};
  graph.set_work(tree_node{1}, 0, 0, one);
  graph.set_work(tree_node{2}, 0, 0, other);
  const iteration_report seen = pair.run(graph, {}, {});
  EXPECT_EQ(seen.tasks[1].ended_ps, (20 + 6'400) * ns);
  EXPECT_EQ(seen.tasks[2].ended_ps, (20 + 12'800) * ns);
}

TEST(engine, refuses_more_workers_than_cores) {
  EXPECT_THROW(engine(machine_of(1, 2), stealing, {.workers = 3}, 0), error);
}

}  // namespace
}  // namespace nearfork::sim

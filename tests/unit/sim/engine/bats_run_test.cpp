// BATS in virtual time.
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string_view>

#include <nearfork/config.hpp>

#include "machine/described/named_machines.hpp"
#include "plan/plans/policy.hpp"
#include "sim/engine/region_run.hpp"
#include "sim/programs/setup.hpp"
#include "tests/runtime_settings.hpp"

namespace nearfork::sim {
namespace {

program placed_heat(std::uint64_t rows, std::uint64_t leaf_rows = 4) {
  program made = regular_grid({.rows = rows, .row_bytes = 4096, .leaf_rows = leaf_rows});
  made.arrays = {{0, rows * 4096}, {rows * 4096, rows * 4096}};
  return made;
}

region_run run_on_knl(const program& what, std::string_view policy, std::size_t iterations = 12) {
  const auto where = load_machine("xeon-phi-7210");
  return run_region(what, *where, *make_policy(policy), {.iterations = iterations});
}

double part_of(std::uint64_t one, std::uint64_t other) {
  return static_cast<double>(one) / static_cast<double>(one + other);
}

TEST(bats_run, uses_all_memory_and_runs_near_it) {
  if (test::sanitized) GTEST_SKIP() << "takes 23 s with sanitizers, which see the same code in smaller simulations";
  const program what = placed_heat(16384);
  const iteration_report plain = run_on_knl(what, "random").iterations.back();
  const region_run seen = run_on_knl(what, "bats");
  const iteration_report steady = seen.iterations.back();
  EXPECT_TRUE(seen.settled);
  EXPECT_EQ(seen.why.decision, plan_decision::located);
  EXPECT_LT(steady.duration_ps, plain.duration_ps * 7 / 10);
  EXPECT_GT(part_of(steady.memory.local, steady.memory.remote), 0.7);
  EXPECT_LT(part_of(plain.memory.local, plain.memory.remote), 0.4);
  // Nodes 1, 3, 5 and 7 of this machine are fast, the others slow: 96 and 22.5 GB/s. One iteration alone, after what
  // the caches kept of the last, has 4.0 to 4.7.
  std::uint64_t fast = 0;
  std::uint64_t slow = 0;
  const auto where = load_machine("xeon-phi-7210");
  for (const iteration_report& one : std::span(seen.iterations).subspan(2))
    for (std::size_t node = 0; node < where->nodes().size(); ++node)
      (where->nodes()[node].kind == memory_kind::hbm ? fast : slow) += one.traffic_bytes_of_node[node];
  EXPECT_NEAR(static_cast<double>(fast) / static_cast<double>(slow), 4.27, 0.22);
}

TEST(bats_run, moves_hot_chunks_to_fast_memory) {
  // Node by node even parts: half of the accesses must move from slow to fast nodes.
  const region_run seen = run_on_knl(placed_heat(4096), "bats-b", 30);
  EXPECT_GT(seen.why.traffic.moves, 0U);
  const iteration_report steady = seen.iterations.back();
  EXPECT_GT(steady.pages.moved, 0U);
  EXPECT_LT(steady.duration_ps, seen.iterations[3].duration_ps * 8 / 10);
}

program placed_by(std::string_view rule, program made) {
  made.placing = placing_called(rule);
  return made;
}

// The cores of a domain read its slow and its fast memory at a time. One after the other, they would take longer than
// tasks stolen at random whose data are all in fast memory.
TEST(bats_run, and_auto_beat_random_stealing_with_all_data_in_fast_memory) {
  if (test::sanitized) GTEST_SKIP() << "takes 44 s with sanitizers, which see the same code in smaller simulations";
  const program what = placed_heat(16384, 1);
  const auto all_in_hbm = run_on_knl(placed_by("hbm-only", what), "random").iterations.back().duration_ps;
  for (const std::string_view policy : {"bats", "auto"}) {
    const region_run seen = run_on_knl(placed_by("follow-plan", what), policy, 40);
    EXPECT_TRUE(seen.settled) << policy;
    EXPECT_LT(seen.iterations.back().duration_ps, all_in_hbm) << policy;
  }
}

// On cores without a common cache. One subtree of a domain at a time, `laws` was slower.
TEST(laws_run, beats_random_stealing_with_all_data_in_fast_memory) {
  if (test::sanitized) GTEST_SKIP() << "takes 10 s with sanitizers, which see the same code in smaller simulations";
  const program what = placed_by("hbm-only", placed_heat(8192, 8));
  EXPECT_LT(run_on_knl(what, "laws", 40).iterations.back().duration_ps,
            run_on_knl(what, "random").iterations.back().duration_ps);
}

// Room is left for them when the data come.
TEST(bats_run, moves_hot_chunks_also_where_the_data_fill_fast_memory) {
  const auto where = load_machine("xeon-phi-7210");
  machine_model model = model_of(*where);
  constexpr std::uint64_t fast_pages = 2048;
  model.node_bytes.clear();
  for (const memory_node& one : where->nodes())
    model.node_bytes.push_back(one.kind == memory_kind::hbm ? fast_pages << 12 : std::uint64_t{64} << 20);
  program what = placed_heat(8192);  // 64 MiB, of which 52 are meant for fast nodes, which have 32
  set_up(what, setup_kind::serial);
  const region_run seen = run_region(placed_by("follow-plan", what), *where, *make_policy("bats"),
                                     {.engine = {.model = model}, .iterations = 24});
  EXPECT_GT(seen.why.traffic.moves, 0U);
  const auto& pages_of = seen.iterations.back().pages.of_node;
  for (std::size_t node = 0; node < where->nodes().size(); ++node) {
    if (where->nodes()[node].kind != memory_kind::hbm) continue;
    EXPECT_EQ(seen.iterations.front().pages.of_node.at(node), fast_pages / 16 * 15);
    EXPECT_GT(pages_of.at(node), fast_pages / 16 * 15);
  }
}

TEST(bats_run, is_the_same_each_time) {
  const program what = placed_heat(2048);
  EXPECT_EQ(run_on_knl(what, "bats").iterations, run_on_knl(what, "bats").iterations);
}

}  // namespace
}  // namespace nearfork::sim

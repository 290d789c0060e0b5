#include "sim/engine/region_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <nearfork/config.hpp>

#include "plan/policies/laws_policy.hpp"
#include "sim/programs/program.hpp"
#include "tests/runtime_settings.hpp"
#include "unit/sim/machine/hand_models.hpp"

namespace nearfork::sim {
namespace {

/// 16 MiB in two buffers: more than one of the four caches holds, less than all four hold.
const grid_shape small_heat{.rows = 1024, .row_bytes = 8192, .leaf_rows = 8, .halo_rows = 1, .compute_ns_per_line = 4};

region_run run(std::string_view policy, std::size_t iterations, std::uint64_t seed = 1) {
  return run_region(regular_grid(small_heat), opteron_8380(), *make_policy(policy),
                    {.engine = {.seed = seed}, .iterations = iterations});
}

TEST(region_run, laws_profiles_then_plans_and_settles) {
  const region_run seen = run("laws", 40);
  EXPECT_TRUE(seen.iterations[0].kind.profiling);
  EXPECT_TRUE(seen.iterations[0].kind.planned) << "by rule";
  EXPECT_FALSE(seen.iterations[1].kind.profiling);
  EXPECT_TRUE(seen.iterations[1].kind.planned);
  EXPECT_TRUE(seen.settled);
  EXPECT_EQ(seen.why.decision, plan_decision::settled);
  for (const iteration_report& one : seen.iterations) EXPECT_FALSE(one.strayed);
}

memory_counts sum_of(const region_run& run) {
  memory_counts sum;
  for (const iteration_report& one : run.iterations) {
    sum.local += one.memory.local;
    sum.remote += one.memory.remote;
  }
  return sum;
}

// 32 MiB, so that every iteration goes to memory.
TEST(region_run, laws_runs_subtrees_where_their_data_are) {
  const grid_shape large{.rows = 2048, .row_bytes = 8192, .leaf_rows = 32, .halo_rows = 1, .compute_ns_per_line = 4};
  const auto run_large = [&](std::string_view policy) {
    return run_region(regular_grid(large), opteron_8380(), *make_policy(policy), {.iterations = 12});
  };
  const region_run planned = run_large("laws");
  std::size_t at_home = 0;
  std::size_t subtrees = 0;
  for (const iteration_report& one : planned.iterations)
    for (const subtree_run& subtree : one.subtrees) {
      ++subtrees;
      at_home += subtree.planned_domain == subtree.domain ? 1 : 0;
    }
  EXPECT_GE(at_home * 20, subtrees * 19);
  EXPECT_GT(sum_of(planned).local, 4 * sum_of(planned).remote);
  const memory_counts plain = sum_of(run_large("random"));
  EXPECT_LT(plain.local, plain.remote) << "a quarter of it would be chance";
}

/// The median over iterations of the number that `of` gives.
template <class Of>
std::uint64_t median(const region_run& run, Of&& of) {
  std::vector<std::uint64_t> all;
  for (const iteration_report& one : run.iterations) all.push_back(of(one));
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

// What the papers measure: fewer misses of the shared cache, fewer remote accesses, less time.
TEST(region_run, laws_misses_less_than_stealing_at_random) {
  if (test::sanitized) GTEST_SKIP() << "takes 11 s with sanitizers, which see the same code in smaller simulations";
  const region_run planned = run("laws", 60);
  const region_run plain = run("random", 60);
  const auto misses = [](const iteration_report& one) { return one.memory.level[1].misses(); };
  const auto remote = [](const iteration_report& one) { return one.memory.remote; };
  const auto duration = [](const iteration_report& one) { return one.duration_ps; };
  EXPECT_LT(median(planned, misses), median(plain, misses) / 2);
  EXPECT_LT(median(planned, remote), median(plain, remote) / 2);
  EXPECT_LT(median(planned, duration), median(plain, duration) / 2);
}

/// How often, in the second half of a run, a leaf of the tree ran on another core than in the iteration before.
std::size_t changes_of_core(const region_run& run, const task_graph& graph) {
  std::size_t changes = 0;
  std::vector<std::uint32_t> last(graph.size());
  for (std::size_t i = run.iterations.size() / 2; i < run.iterations.size(); ++i)
    for (const task_run& one : run.iterations[i].tasks) {
      std::uint32_t& before = last[index_of(one.task)];
      if (graph.tree().is_leaf(one.task) && i > run.iterations.size() / 2 && before != one.began_on) ++changes;
      before = one.began_on;
    }
  return changes;
}

// Machines do not always report private caches of cores, and virtual machines do so least of all.
TEST(region_run, auto_keeps_cores_of_one_cache_at_their_data) {
  if (test::sanitized) GTEST_SKIP() << "takes 12 s with sanitizers, which see the same code in smaller simulations";
  const program heat = regular_grid(small_heat);
  const machine where = machine_of(1, 4, 4 << 20);
  const auto run_under = [&](std::string_view policy) {
    return run_region(heat, where, *make_policy(policy), {.engine = {.keep_tasks = true}, .iterations = 60});
  };
  const region_run kept = run_under("auto");
  ASSERT_FALSE(kept.iterations.back().settled && !kept.iterations.back().kind.planned) << "plain stealing was faster";
  EXPECT_LT(changes_of_core(kept, heat.graphs[0]) * 4, changes_of_core(run_under("random"), heat.graphs[0]));
}

TEST(region_run, one_seed_gives_one_run) {
  // All of them take 40 s with sanitizers.
  const std::vector<std::string> few{"random", "laws", "bats", "auto"};
  for (const std::string& policy : test::sanitized ? few : policy_names()) {
    const region_run once = run(policy, 8, 7);
    const region_run again = run(policy, 8, 7);
    EXPECT_EQ(once.iterations, again.iterations) << policy;
    EXPECT_EQ(once.why, again.why) << policy;
  }
  EXPECT_NE(run("random", 8, 7).iterations, run("random", 8, 8).iterations);
}

TEST(region_run, profiles_anew_when_the_tree_changes) {
  program what = regular_grid(small_heat);
  program other = irregular_grid(small_heat, 5);
  for (task_graph& graph : other.graphs) what.graphs.push_back(std::move(graph));
  what.course = {0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3};
  const region_run seen =
      run_region(what, opteron_8380(), laws_policy(laws_policy::subtrees::packed), {.iterations = what.course.size()});
  std::size_t profiled = 0;
  for (const iteration_report& one : seen.iterations) profiled += one.kind.profiling ? 1 : 0;
  EXPECT_EQ(profiled, 2U);
  EXPECT_TRUE(seen.iterations[6].strayed);
  EXPECT_FALSE(seen.iterations.back().strayed);
}

TEST(region_run, tells_times_alone_where_no_counter_counts) {
  const region_run seen =
      run_region(regular_grid(small_heat), opteron_8380(), laws_policy(laws_policy::subtrees::packed),
                 {.iterations = 3, .profile = cost_source::time});
  EXPECT_GT(seen.why.subtrees, 0U);
  EXPECT_GT(seen.why.most_bytes, 0) << "by branching, from the size of the input";
}

TEST(region_run, ends_when_it_is_told_to) {
  std::size_t asked = 0;
  region_settings settings;
  settings.iterations = 50;
  settings.go_on = [&](const iteration_report& seen) {
    EXPECT_GT(seen.duration_ps, 0U);
    return ++asked < 7;
  };
  const region_run ended = run_region(regular_grid(small_heat), opteron_8380(), *make_policy("laws"), settings);
  EXPECT_EQ(ended.iterations.size(), 7U);
  const region_run whole = run("laws", 7);
  EXPECT_EQ(ended.iterations, whole.iterations) << "what it did until then is the same";
}

TEST(region_run, is_steady_once_nothing_is_tried_any_more) {
  const region_run seen = run("laws", 40);
  EXPECT_FALSE(seen.iterations.front().steady()) << "profiled";
  EXPECT_TRUE(seen.iterations.back().steady());
  for (const iteration_report& one : run("random", 3).iterations) EXPECT_TRUE(one.steady());
}

}  // namespace
}  // namespace nearfork::sim

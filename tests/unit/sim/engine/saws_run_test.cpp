// SAWS in the simulator: like LAWS on equal domains; on unequal ones it finds their shares.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "machine/model/machine.hpp"
#include "plan/plans/policy.hpp"
#include "sim/engine/region_run.hpp"
#include "sim/programs/program.hpp"
#include "tests/runtime_settings.hpp"
#include "unit/plan/crew/machines_for_tests.hpp"

namespace nearfork::sim {
namespace {

constexpr const char* all_saws[] = {"saws", "saws-printed", "saws-migrate", "saws-noalpha", "saws-psm", "saws-psd"};

RC_GTEST_PROP(saws_run, is_that_of_laws_where_all_domains_are_equally_fast, (std::uint64_t seed)) {
  const machine& where = machines_for_tests()[*rc::gen::inRange<std::size_t>(0, 12)];
  const program what = random_program(seed);
  region_settings settings{.engine = {.seed = seed, .keep_tasks = true}};
  settings.iterations = *rc::gen::inRange<std::size_t>(1, 20);
  const region_run expected = run_region(what, where, *make_policy("laws"), settings);
  for (const char* name : all_saws)
    RC_ASSERT(run_region(what, where, *make_policy(name), settings).iterations == expected.iterations);
}

/// 64 MiB in two buffers on four domains of two cores, two of them twice as fast.
const grid_shape heat{.rows = 4096, .row_bytes = 8192, .leaf_rows = 8, .halo_rows = 1, .compute_ns_per_line = 40};

region_run run_heat(std::string_view policy, std::size_t iterations, std::uint64_t cache_bytes) {
  const machine where = machine_of_kinds({2, 2, 2, 2}, {0, 1, 0, 1}, cache_bytes);
  machine_model model = default_model(where);
  model.kinds[0].mhz = model.kinds[1].mhz / 2;
  return run_region(regular_grid(heat), where, *make_policy(policy),
                    {.engine = {.model = model}, .iterations = iterations});
}

std::uint64_t last_ps(const region_run& run) {
  return run.iterations.back().duration_ps;
}

// Cores that compute twice as fast hold two thirds at best; what they take from memory is not faster.
TEST(saws_run, gives_faster_cores_a_larger_share) {
  if (test::sanitized) GTEST_SKIP() << "takes 24 s with sanitizers, which see the same code in smaller simulations";
  const region_run seen = run_heat("saws", 120, 1 << 20);
  EXPECT_TRUE(seen.settled);
  EXPECT_EQ(seen.why.balance.distributions, 4U);
  EXPECT_GT(seen.why.balance.big_share, 0.55);
  EXPECT_LT(seen.why.balance.big_share, 0.75);
  EXPECT_LT(last_ps(seen) * 100, last_ps(run_heat("saws-noalpha", 20, 1 << 20)) * 90);
}

TEST(saws_run, nobody_crosses_under_the_distribution) {
  if (test::sanitized) GTEST_SKIP() << "takes 12 s with sanitizers, which see the same code in smaller simulations";
  const region_run seen = run_heat("saws-psd", 30, 1 << 20);
  for (const iteration_report& one : seen.iterations) {
    EXPECT_EQ(one.schedule.steals_between_domains, 0U);
    for (const subtree_run& subtree : one.subtrees) EXPECT_EQ(subtree.domain, subtree.planned_domain);
  }
  EXPECT_GT(seen.iterations[2].schedule.wanted_crossings, 0U);
}

TEST(saws_run, fast_cores_take_work_of_slow_ones_under_the_monopoly) {
  const region_run seen = run_heat("saws-psm", 2, 1 << 20);
  std::size_t to_fast = 0;  // domains 1 and 3
  std::size_t to_slow = 0;
  for (const subtree_run& subtree : seen.iterations[1].subtrees)
    if (subtree.domain != subtree.planned_domain) ++(subtree.domain % 2 == 1 ? to_fast : to_slow);
  EXPECT_GT(to_fast, 2 * to_slow);
  EXPECT_LT(last_ps(seen), last_ps(run_heat("saws-psd", 2, 1 << 20)));
}

TEST(saws_run, counts_no_crossings_where_all_domains_are_equally_fast) {
  const region_run seen = run_region(regular_grid(heat), opteron_8380(), *make_policy("saws"), {.iterations = 4});
  for (const iteration_report& one : seen.iterations) EXPECT_EQ(one.schedule.wanted_crossings, 0U);
}

}  // namespace
}  // namespace nearfork::sim

// Runs in which a simulated line stands for several: times, bytes and counts are those of the whole problem.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include <nearfork/config.hpp>
#include <nearfork/error.hpp>

#include "message_of.hpp"
#include "plan/policies/laws_policy.hpp"
#include "sim/engine/region_run.hpp"
#include "sim/machine/scaled_model.hpp"
#include "unit/sim/machine/hand_models.hpp"

namespace nearfork::sim {
namespace {

using testing::AllOf;
using testing::HasSubstr;

region_run run_scaled(const machine& where, const program& what, std::uint32_t lines, const char* policy = "random") {
  const auto how = make_policy(policy);
  return run_region(what, where, *how,
                    {.engine = {.model = scaled(where, round_model(where, 3'000), lines)}, .iterations = 3});
}

// One core sweeps through more than its caches hold: nothing depends on which lines are together.
TEST(scaled_runs, of_one_core_take_as_long_and_count_as_much) {
  const auto where = load_machine("package:1 [numa] l3:1(size=1MiB) l1:1(size=64KiB) core:1 pu:1");
  const program what = regular_grid({.rows = 512, .row_bytes = 8192, .leaf_rows = 16, .halo_rows = 0});
  const region_run whole = run_scaled(*where, what, 1);
  for (const std::uint32_t lines : {2U, 8U, 16U}) {
    const region_run seen = run_scaled(*where, what, lines);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(seen.iterations[i].memory, whole.iterations[i].memory) << lines;
      EXPECT_EQ(seen.iterations[i].traffic_bytes_of_node, whole.iterations[i].traffic_bytes_of_node) << lines;
      const auto whole_ps = static_cast<double>(whole.iterations[i].duration_ps);
      EXPECT_NEAR(static_cast<double>(seen.iterations[i].duration_ps), whole_ps, 1e-3 * whole_ps) << lines;
    }
  }
}

// A move of data waits as long as it takes, by their bytes.
TEST(scaled_runs, have_as_many_bytes_that_follow_plans) {
  const auto where = load_machine("package:2 [numa] l3:1(size=1MiB) l1:1(size=64KiB) core:1 pu:1");
  program what = regular_grid({.rows = 512, .row_bytes = 8192, .leaf_rows = 16, .halo_rows = 0});
  what.arrays = {{0, 512 * 8192}};
  what.placing = placing_called("follow-plan");
  const auto how = make_policy("laws");
  for (const std::uint32_t lines : {1U, 2U, 16U}) {
    engine made(*where, *how, {.model = scaled(*where, round_model(*where, 3'000), lines)}, 512 * 8192);
    made.place_data(what);
    EXPECT_EQ(made.followed_bytes(), 512U * 8192U) << lines;
  }
}

TEST(scaled_runs, give_the_gain_of_laws) {
  const machine where = opteron_8380();
  const program what = regular_grid({.rows = 1024, .row_bytes = 8192, .leaf_rows = 8, .halo_rows = 1});
  const auto gain = [&](std::uint32_t lines) {
    const double random = static_cast<double>(run_scaled(where, what, lines).total_ps());
    return 1 - static_cast<double>(run_scaled(where, what, lines, "laws").total_ps()) / random;
  };
  const double at_8 = gain(8);
  EXPECT_NEAR(gain(16), at_8, 0.03);
  EXPECT_NEAR(gain(1), at_8, 0.05);
}

TEST(scaled_runs, have_pages_of_at_least_a_line) {
  const auto where = load_machine("package:1 [numa] l3:1(size=6MiB) core:1 pu:1");
  const machine_model model = default_model(*where);
  EXPECT_EQ(scaled(*where, model, 16).page_bytes, 4096U);
  EXPECT_EQ(scaled(*where, model, 16).line_bytes, 1024U);
  EXPECT_EQ(scaled(*where, model, 128).page_bytes, 8192U);
  EXPECT_EQ(scaled(*where, model, 1).memory_ps, model.memory_ps);
}

TEST(scaled_runs, are_refused_where_a_cache_would_be_too_small) {
  const auto where = load_machine("package:2 [numa] l3:1(size=1MiB) l1:2(size=16KiB) core:1 pu:1");
  const machine_model model = default_model(*where);
  EXPECT_NO_THROW((void)scaled(*where, model, 16));
  const std::string refused = test::message_of([&] { (void)scaled(*where, model, 64); });
  EXPECT_THAT(refused,
              AllOf(HasSubstr("an L1 of"), HasSubstr("would have 4 lines of 4096 bytes"), HasSubstr("choose 1/16")));
}

}  // namespace
}  // namespace nearfork::sim

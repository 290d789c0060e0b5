#include "plan/clocks/power_slack.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

namespace nearfork {
namespace {

constexpr clock_range big{.least_ghz = 1.06, .normal_ghz = 2.0, .most_ghz = 2.26, .lambda = 1};
constexpr clock_range little{.least_ghz = 1.06, .normal_ghz = 1.33, .most_ghz = 2.26, .lambda = 1};

/// The machine of SAWS: 16 cores each.
std::vector<kind_load> papers_machine(std::uint32_t big_waiting, std::uint32_t little_waiting) {
  return {{.clocks = little, .cores = 16, .waiting = little_waiting},
          {.clocks = big, .cores = 16, .waiting = big_waiting}};
}

double power_of(const std::vector<kind_load>& kinds) {
  const std::vector<double> clocks = clocks_by_slack(kinds);
  double sum = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    sum += (kinds[i].cores - kinds[i].waiting) * power_at(kinds[i].clocks, clocks[i]) +
           kinds[i].waiting * power_at(kinds[i].clocks, kinds[i].clocks.least_ghz);
  return sum;
}

TEST(power_slack, leaves_normal_clocks_where_no_core_waits) {
  EXPECT_NEAR(power_budget(papers_machine(0, 0)), 165.642, 0.001);
  EXPECT_EQ(clocks_by_slack(papers_machine(0, 0)), (std::vector<double>{1.33, 2.0}));
}

TEST(power_slack, goes_to_the_little_cores_where_all_big_ones_wait) {
  EXPECT_NEAR(clocks_by_slack(papers_machine(16, 0))[0], 2.0925, 0.0001);
  EXPECT_NEAR(power_of(papers_machine(16, 0)), 165.642, 0.001);
}

TEST(power_slack, raises_no_clock_beyond_the_highest) {
  EXPECT_EQ(clocks_by_slack(papers_machine(16, 8))[0], 2.26);
  EXPECT_LT(power_of(papers_machine(16, 8)), 165.6);
}

TEST(power_slack, is_shared_equally_by_both_kinds) {
  const std::vector<double> clocks = clocks_by_slack(papers_machine(8, 0));
  EXPECT_NEAR(clocks[0], 1.6658, 0.0001);
  EXPECT_NEAR(clocks[1], 2.1736, 0.0001);
}

// 12 big cores wait: an equal share would take the big ones beyond 2.26 GHz.
TEST(power_slack, left_over_by_one_kind_goes_to_the_other) {
  const std::vector<kind_load> load = papers_machine(12, 0);
  const std::vector<double> clocks = clocks_by_slack(load);
  EXPECT_EQ(clocks[1], 2.26);
  EXPECT_NEAR(power_of(load), power_budget(load), 1e-9);
}

TEST(power_slack, counts_each_kinds_own_lambda) {
  std::vector<kind_load> load{{.clocks = {1, 2, 4, 0.5}, .cores = 2, .waiting = 0},
                              {.clocks = {1, 3, 3, 2}, .cores = 1, .waiting = 1}};
  // The waiting core gives 2 * (27 - 1) = 52, the others get 26 each: 0.5 f^3 = 4 + 26.
  EXPECT_NEAR(clocks_by_slack(load)[0], std::cbrt(60.0), 1e-12);
}

TEST(power_slack, has_nobody_to_go_to_where_all_wait) {
  EXPECT_LT(power_of(papers_machine(16, 16)), power_budget(papers_machine(16, 16)));
}

RC_GTEST_PROP(power_slack, never_exceeds_the_budget, ()) {
  std::vector<kind_load> kinds;
  for (int left = *rc::gen::inRange(1, 4); left > 0; --left) {
    const double least = 0.1 * *rc::gen::inRange(5, 15);
    const double normal = least + 0.1 * *rc::gen::inRange(0, 20);
    const double most = normal + 0.1 * *rc::gen::inRange(0, 20);
    const auto cores = static_cast<std::uint32_t>(*rc::gen::inRange(1, 33));
    kinds.push_back({.clocks = {least, normal, most, 0.1 * *rc::gen::inRange(1, 30)},
                     .cores = cores,
                     .waiting = static_cast<std::uint32_t>(*rc::gen::inRange(0, static_cast<int>(cores) + 1))});
  }
  const double budget = power_budget(kinds);
  RC_ASSERT(power_of(kinds) <= budget * (1 + 1e-12));
  const std::vector<double> clocks = clocks_by_slack(kinds);
  bool capped = true;  // all that work
  std::uint32_t working = 0;
  std::uint32_t waiting = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    RC_ASSERT(clocks[i] >= kinds[i].clocks.normal_ghz && clocks[i] <= kinds[i].clocks.most_ghz);
    working += kinds[i].cores - kinds[i].waiting;
    waiting += kinds[i].waiting;
    if (kinds[i].cores > kinds[i].waiting && clocks[i] < kinds[i].clocks.most_ghz - 1e-9) capped = false;
    if (waiting == 0) RC_ASSERT(i + 1 < kinds.size() || clocks[i] == kinds[i].clocks.normal_ghz);
  }
  if (working > 0 && !capped) RC_ASSERT(power_of(kinds) >= budget * (1 - 1e-9));
}

}  // namespace
}  // namespace nearfork

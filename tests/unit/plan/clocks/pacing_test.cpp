#include "plan/clocks/pacing.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

namespace nearfork {
namespace {

constexpr clock_range fast{.least_ghz = 1.06, .normal_ghz = 2.0, .most_ghz = 2.26, .lambda = 1};
constexpr clock_range slow{.least_ghz = 1.06, .normal_ghz = 1.33, .most_ghz = 2.26, .lambda = 1};

double work_of(const std::vector<kind_load>& kinds, const std::vector<double>& clocks) {
  double sum = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) sum += kinds[i].working() * clocks[i] * kinds[i].clocks.work_per_cycle;
  return sum;
}

double drawn_by(const std::vector<kind_load>& kinds, const std::vector<double>& clocks) {
  double sum = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    sum += kinds[i].working() * power_at(kinds[i].clocks, clocks[i]) +
           kinds[i].waiting * power_at(kinds[i].clocks, kinds[i].clocks.least_ghz);
  return sum;
}

// SAWS' machine. Its authors saw AAWS gain 3.88% at least.
TEST(pacing, gives_equal_cores_equal_clocks_and_does_more_work_so) {
  const std::vector<kind_load> kinds{{.clocks = fast, .cores = 16, .waiting = 0},
                                     {.clocks = slow, .cores = 16, .waiting = 0}};
  const std::vector<double> clocks = paced_clocks(kinds);
  EXPECT_NEAR(clocks[0], 1.7298, 0.0001);
  EXPECT_NEAR(clocks[1], 1.7298, 0.0001);
  EXPECT_NEAR(work_of(kinds, clocks) / work_of(kinds, {2.0, 1.33}), 1.0389, 0.0001);
}

TEST(pacing, sprints_while_others_wait) {
  const std::vector<kind_load> kinds{{.clocks = fast, .cores = 16, .waiting = 8},
                                     {.clocks = slow, .cores = 16, .waiting = 0}};
  const std::vector<double> clocks = paced_clocks(kinds);
  EXPECT_NEAR(clocks[0], clocks[1], 1e-12);
  EXPECT_GT(clocks[0], 1.7298);
  EXPECT_NEAR(drawn_by(kinds, clocks), power_budget(kinds), 1e-9);
}

TEST(pacing, gives_cores_that_do_more_per_watt_a_higher_clock) {
  clock_range efficient = slow;
  efficient.lambda = 0.5;
  efficient.work_per_cycle = 0.8;
  efficient.most_ghz = 3;
  const std::vector<kind_load> kinds{{.clocks = fast, .cores = 4, .waiting = 0},
                                     {.clocks = efficient, .cores = 4, .waiting = 0}};
  const std::vector<double> clocks = paced_clocks(kinds);
  EXPECT_NEAR(clocks[1] / clocks[0], 1.2649, 0.0001);  // sqrt(0.8 / 0.5)
}

TEST(pacing, leaves_nobody_out_of_range_where_all_wait_or_few_work) {
  EXPECT_EQ(paced_clocks(std::vector<kind_load>{{.clocks = fast, .cores = 4, .waiting = 3}})[0], 2.26);
  const double clock = paced_clocks(std::vector<kind_load>{{.clocks = fast, .cores = 4, .waiting = 4}})[0];
  EXPECT_GE(clock, fast.least_ghz);
  EXPECT_LE(clock, fast.most_ghz);
}

RC_GTEST_PROP(pacing, keeps_the_budget_and_is_beaten_by_no_shift_of_power, ()) {
  std::vector<kind_load> kinds;
  for (int left = *rc::gen::inRange(1, 4); left > 0; --left) {
    const double least = 0.1 * *rc::gen::inRange(5, 15);
    const double normal = least + 0.1 * *rc::gen::inRange(0, 20);
    const auto cores = static_cast<std::uint32_t>(*rc::gen::inRange(1, 33));
    kinds.push_back({.clocks = {.least_ghz = least,
                                .normal_ghz = normal,
                                .most_ghz = normal + 0.1 * *rc::gen::inRange(0, 20),
                                .lambda = 0.1 * *rc::gen::inRange(1, 30),
                                .work_per_cycle = 0.1 * *rc::gen::inRange(1, 11)},
                     .cores = cores,
                     .waiting = static_cast<std::uint32_t>(*rc::gen::inRange(0, static_cast<int>(cores)))});
  }
  const std::vector<double> clocks = paced_clocks(kinds);
  RC_ASSERT(drawn_by(kinds, clocks) <= power_budget(kinds) * (1 + 1e-9));
  for (std::size_t i = 0; i < kinds.size(); ++i)
    RC_ASSERT(clocks[i] >= kinds[i].clocks.least_ghz && clocks[i] <= kinds[i].clocks.most_ghz);
  // A little power that moves from one kind to another must not bring more work.
  for (std::size_t from = 0; from < kinds.size(); ++from)
    for (std::size_t to = 0; to < kinds.size(); ++to) {
      std::vector<double> shifted = clocks;
      shifted[from] *= 0.999;
      if (from == to || shifted[from] < kinds[from].clocks.least_ghz) continue;
      const double freed = kinds[from].working() *
                           (power_at(kinds[from].clocks, clocks[from]) - power_at(kinds[from].clocks, shifted[from]));
      const clock_range& can = kinds[to].clocks;
      shifted[to] = std::cbrt((power_at(can, clocks[to]) + freed / kinds[to].working()) / can.lambda);
      if (shifted[to] > can.most_ghz) continue;
      RC_ASSERT(work_of(kinds, shifted) <= work_of(kinds, clocks) * (1 + 1e-9));
    }
}

}  // namespace
}  // namespace nearfork

#include "power/clock_unit.hpp"

#include <gtest/gtest.h>

namespace {

using namespace nearfork;

cpufreq_policy policy_of(std::vector<unsigned> cpus, std::uint32_t base_khz = 1800) {
  return {.cpus = std::move(cpus), .least_khz = 1000, .most_khz = 2600, .base_khz = base_khz};
}

TEST(clock_units, are_cores_with_a_policy_each) {
  const std::vector<cpufreq_policy> policies{policy_of({0}), policy_of({1}, 2000)};
  const std::vector<std::vector<unsigned>> cores{{1}, {0}};
  const auto units = clock_units_of(policies, cores);
  ASSERT_EQ(units.size(), 2U);
  EXPECT_EQ(units[0],
            (clock_unit{.cores = {0}, .policies = {1}, .least_khz = 1000, .normal_khz = 2000, .most_khz = 2600}));
  EXPECT_EQ(units[1].policies, (std::vector<std::uint32_t>{0}));
}

TEST(clock_units, join_the_cores_of_one_policy_and_the_policies_of_one_core) {
  const std::vector<cpufreq_policy> policies{policy_of({0, 1}), policy_of({2}), policy_of({3}, 1500)};
  const std::vector<std::vector<unsigned>> cores{{0}, {1}, {2, 3}};
  const auto units = clock_units_of(policies, cores);
  ASSERT_EQ(units.size(), 2U);
  EXPECT_EQ(units[0].cores, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(units[1].policies, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(units[1].normal_khz, 1500U);
  EXPECT_FALSE(units[0].is_shared);
}

TEST(clock_units, know_that_others_have_cpus_in_their_policy) {
  const std::vector<cpufreq_policy> policies{policy_of({0, 1})};
  const std::vector<std::vector<unsigned>> cores{{0}};
  EXPECT_TRUE(clock_units_of(policies, cores).at(0).is_shared);
}

TEST(clock_units, leave_out_cores_without_a_policy) {
  const std::vector<cpufreq_policy> policies{policy_of({0})};
  const std::vector<std::vector<unsigned>> cores{{5}, {0}};
  const auto units = clock_units_of(policies, cores);
  ASSERT_EQ(units.size(), 1U);
  EXPECT_EQ(units[0].cores, (std::vector<std::uint32_t>{1}));
}

}  // namespace

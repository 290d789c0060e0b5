#include "power/cpufreq_policy.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "fake_cpufreq.hpp"

namespace {

using namespace nearfork;
using test::fake_system;
using test::watched_files;

TEST(cpufreq_policies, are_read_by_number) {
  const fake_system system;
  system.add_policy(10, "10");
  system.add_policy_without_userspace(2, "2 3");
  const cpufreq_reading got = read_cpufreq(watched_files(system.root()));
  EXPECT_TRUE(got.refused.empty());
  ASSERT_EQ(got.policies.size(), 2U);
  EXPECT_EQ(got.policies[0], (cpufreq_policy{.number = 2,
                                             .cpus = {2, 3},
                                             .governor = "powersave",
                                             .least_khz = 1'000'000,
                                             .most_khz = 2'600'000,
                                             .base_khz = 1'800'000,
                                             .way = clock_way::limits}));
  EXPECT_EQ(got.policies[1].way, clock_way::setspeed);
  EXPECT_EQ(got.policies[1].offered_khz,
            (std::vector<std::uint32_t>{1'000'000, 1'400'000, 1'800'000, 2'200'000, 2'600'000}));
}

TEST(cpufreq_policies, of_offline_cpus_are_left_out) {
  const fake_system system;
  system.add_policy(0, "0");
  system.add_policy(1, "");
  system.remove(fake_system::policy_file(1, "scaling_governor"));  // refused while the CPU is offline
  const cpufreq_reading got = read_cpufreq(watched_files(system.root()));
  EXPECT_TRUE(got.refused.empty());
  ASSERT_EQ(got.policies.size(), 1U);
  EXPECT_EQ(got.policies[0].number, 0U);
}

TEST(cpufreq_policies, are_missing_on_virtual_machines) {
  const fake_system system;
  const cpufreq_reading got = read_cpufreq(watched_files(system.root()));
  ASSERT_EQ(got.refused.size(), 1U);
  EXPECT_EQ(got.refused[0].path, cpufreq_folder);
  EXPECT_EQ(got.refused[0].error_number, ENOENT);
  EXPECT_NE(got.refused[0].why.find("virtual machine"), std::string::npos);
}

TEST(cpufreq_policies, say_which_file_is_refused_and_which_is_nonsense) {
  const fake_system system;
  system.add_policy(0, "0");
  system.put(fake_system::policy_file(0, "scaling_max_freq"), "fast");
  watched_files files(system.root());
  files.refuse_to_read[fake_system::policy_file(0, "scaling_min_freq")] = EACCES;
  const cpufreq_reading got = read_cpufreq(files);
  EXPECT_TRUE(got.policies.empty());
  ASSERT_EQ(got.refused.size(), 2U);
  EXPECT_EQ(got.refused[0].error_number, EACCES);
  EXPECT_EQ(got.refused[1].path, fake_system::policy_file(0, "scaling_max_freq"));
  EXPECT_NE(got.refused[1].why.find("\"fast\""), std::string::npos);
}

TEST(normal_clock, is_the_base_frequency_within_the_limits) {
  EXPECT_EQ((cpufreq_policy{.least_khz = 1, .most_khz = 9, .base_khz = 5}.normal_khz()), 5U);
  EXPECT_EQ((cpufreq_policy{.least_khz = 1, .most_khz = 4, .base_khz = 5}.normal_khz()), 4U);
  EXPECT_EQ((cpufreq_policy{.least_khz = 1, .most_khz = 4}.normal_khz()), 4U);
}

TEST(possible_clock, is_never_above_the_wish_where_a_lower_one_is_offered) {
  const cpufreq_policy table{.least_khz = 1400, .most_khz = 2200, .offered_khz = {1000, 1400, 1800, 2200, 2600}};
  EXPECT_EQ(table.possible_khz(1799), 1400U);
  EXPECT_EQ(table.possible_khz(1800), 1800U);
  EXPECT_EQ(table.possible_khz(9999), 2200U);
  EXPECT_EQ(table.possible_khz(1), 1400U);
  const cpufreq_policy any{.least_khz = 1400, .most_khz = 2200};
  EXPECT_EQ(any.possible_khz(1799), 1799U);
}

}  // namespace

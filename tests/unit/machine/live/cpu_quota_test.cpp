#include <gtest/gtest.h>

#include <map>

#include "machine/live/cpu_quota.hpp"

namespace {

using nearfork::cpu_quota;

/// A file system of a few files.
auto files(std::map<std::string, std::string> known) {
  return [known = std::move(known)](const std::string& path) -> std::optional<std::string> {
    const auto found = known.find(path);
    return found == known.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST(cpu_quota, is_none_where_nothing_limits) {
  EXPECT_FALSE(cpu_quota(files({})));
  EXPECT_FALSE(cpu_quota(files({{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "max 100000\n"}})));
  EXPECT_FALSE(cpu_quota(files({{"/proc/self/cgroup", "4:cpu,cpuacct:/a\n"},
                                {"/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "-1\n"},
                                {"/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n"}})));
}

TEST(cpu_quota, reads_version_2) {
  EXPECT_DOUBLE_EQ(
      *cpu_quota(files({{"/proc/self/cgroup", "0::/box\n"}, {"/sys/fs/cgroup/box/cpu.max", "250000 100000\n"}})), 2.5);
}

TEST(cpu_quota, reads_version_1_also_where_it_is_joined_with_cpuacct) {
  for (const char* const mount : {"cpu", "cpu,cpuacct"}) {
    const std::string folder = std::string("/sys/fs/cgroup/") + mount + "/box";
    EXPECT_DOUBLE_EQ(*cpu_quota(files({{"/proc/self/cgroup", "7:pids:/x\n4:cpu,cpuacct:/box\n"},
                                       {folder + "/cpu.cfs_quota_us", "50000\n"},
                                       {folder + "/cpu.cfs_period_us", "100000\n"}})),
                     0.5);
  }
}

TEST(cpu_quota, takes_the_tightest_on_the_way_to_the_root) {
  EXPECT_DOUBLE_EQ(*cpu_quota(files({{"/proc/self/cgroup", "0::/a/b/c\n"},
                                     {"/sys/fs/cgroup/a/b/c/cpu.max", "400000 100000"},
                                     {"/sys/fs/cgroup/a/b/cpu.max", "150000 100000"},
                                     {"/sys/fs/cgroup/cpu.max", "max 100000"}})),
                   1.5);
}

TEST(cpu_quota, takes_nonsense_for_no_limit) {
  for (const char* const text : {"", "many 100000", "100000", "100000 0", "-5 100000", "\xff\xfe"})
    EXPECT_FALSE(cpu_quota(files({{"/proc/self/cgroup", "0::/"}, {"/sys/fs/cgroup/cpu.max", text}}))) << text;
  for (const char* const text : {"", ":", "::", "0:", "0::", "0::relative/path", "no colons at all"})
    EXPECT_FALSE(cpu_quota(files({{"/proc/self/cgroup", text}}))) << text;
}

}  // namespace

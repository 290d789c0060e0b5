#include <gtest/gtest.h>

#include <cerrno>
#include <map>
#include <set>

#include "machine/live/grants.hpp"

namespace {

using namespace nearfork;

/// A system that grants everything, until a test takes something away.
class fake_system final : public system_probe {
 public:
  trial pinned, asked, bound, moved, counted, advised;
  bool is_privileged = false;
  std::map<std::string, std::string> files = {
      {"/proc/sys/kernel/perf_event_paranoid", "2"},
      {"/proc/sys/kernel/numa_balancing", "0"},
      {"/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never"},
      {"/sys/class/powercap/intel-rapl:0/energy_uj", "123456"},
      {"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "userspace"},
      {"/sys/devices/system/cpu/cpu0/cpufreq/scaling_available_governors", "performance userspace"},
      {"/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq", "2000000"},
  };
  std::map<std::string, int> unreadable;
  int write_refused = 0;
  mutable std::map<std::string, std::string> written;

  trial pin() const override { return pinned; }
  trial ask_affinity() const override { return asked; }
  bool privileged() const override { return is_privileged; }
  trial bind_page() const override { return bound; }
  trial move_page() const override { return moved; }
  trial count_cache_misses() const override { return counted; }
  trial advise_huge_pages() const override { return advised; }
  file_trial read(const std::string& path) const override {
    if (const auto refused = unreadable.find(path); refused != unreadable.end()) return {refused->second, {}};
    const auto found = files.find(path);
    return found == files.end() ? file_trial{ENOENT, {}} : file_trial{0, found->second};
  }
  int write_back(const std::string& path, const std::string& text) const override {
    if (write_refused == 0) written[path] = text;
    return write_refused;
  }
};

grant of(const std::string& what, const system_probe& system, std::optional<double> quota = std::nullopt) {
  for (const grant& one : grants_of(system, quota))
    if (one.what == what) return one;
  ADD_FAILURE() << "nobody tried " << what;
  return {};
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(grants, are_all_there_where_the_system_grants_everything) {
  for (const grant& one : grants_of(fake_system(), std::nullopt)) {
    EXPECT_EQ(one.state, grant_state::granted) << one.what << ": " << one.detail;
    EXPECT_TRUE(one.remedy.empty()) << one.what;
  }
}

TEST(grants, name_each_thing_once) {
  std::set<std::string> names;
  for (const grant& one : grants_of(fake_system(), std::nullopt)) EXPECT_TRUE(names.insert(one.what).second);
  EXPECT_EQ(names, (std::set<std::string>{"pinning", "affinity", "mbind", "move_pages", "counters", "cpufreq", "RAPL",
                                          "NUMA balancing", "huge pages", "CPU quota", "environment"}));
}

TEST(grants, say_why_and_what_to_do_when_a_call_is_refused) {
  fake_system system;
  system.pinned = system.asked = system.bound = system.moved = system.counted = system.advised = {EPERM};
  for (const char* const what : {"pinning", "affinity", "mbind", "move_pages", "counters", "huge pages"}) {
    const grant one = of(what, system);
    EXPECT_EQ(one.state, grant_state::denied) << what;
    EXPECT_TRUE(holds(one.detail, "errno 1")) << what << ": " << one.detail;
    EXPECT_FALSE(one.remedy.empty()) << what;
  }
}

TEST(grants, say_that_a_privileged_program_ignores_its_environment) {
  fake_system system;
  system.is_privileged = true;
  EXPECT_EQ(of("environment", system).state, grant_state::denied);
  EXPECT_TRUE(holds(of("environment", system).detail, "ignored"));
  EXPECT_TRUE(holds(of("environment", system).remedy, "setcap -r"));
}

TEST(grants, tell_a_kernel_without_it_from_a_refusal) {
  fake_system system;
  system.bound = system.moved = {ENOSYS};
  EXPECT_EQ(of("mbind", system).state, grant_state::missing);
  EXPECT_EQ(of("move_pages", system).state, grant_state::missing);
}

TEST(grants, do_not_believe_a_call_that_changes_nothing) {
  fake_system system;
  system.pinned = system.bound = system.moved = system.counted = system.advised = {0, false};
  for (const char* const what : {"pinning", "mbind", "move_pages", "counters", "huge pages"})
    EXPECT_EQ(of(what, system).state, grant_state::denied) << what;
}

TEST(grants, of_counters_name_who_refuses) {
  fake_system system;
  system.counted = {EACCES};
  system.files["/proc/sys/kernel/perf_event_paranoid"] = "3";
  EXPECT_TRUE(holds(of("counters", system).remedy, "sysctl kernel.perf_event_paranoid=2"));
  for (const char* const level : {"2", "-1"}) {
    system.files["/proc/sys/kernel/perf_event_paranoid"] = level;
    EXPECT_TRUE(holds(of("counters", system).remedy, "--cap-add PERFMON")) << level;
  }
  system.counted = {ENOENT};
  EXPECT_EQ(of("counters", system).state, grant_state::missing);
}

TEST(grants, of_frequencies_are_missing_without_a_driver) {
  fake_system system;
  system.files.erase("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  EXPECT_EQ(of("cpufreq", system).state, grant_state::missing);
}

TEST(grants, of_frequencies_write_back_what_was_there) {
  fake_system system;
  const std::string folder = "/sys/devices/system/cpu/cpu0/cpufreq/";
  EXPECT_EQ(of("cpufreq", system).state, grant_state::granted);
  EXPECT_EQ(system.written, (std::map<std::string, std::string>{{folder + "scaling_governor", "userspace"}}));
  system.write_refused = EACCES;
  EXPECT_EQ(of("cpufreq", system).state, grant_state::denied);
  EXPECT_TRUE(holds(of("cpufreq", system).detail, "errno 13"));
}

TEST(grants, of_frequencies_are_tried_by_limits_where_no_governor_takes_them) {
  fake_system system;
  const std::string folder = "/sys/devices/system/cpu/cpu0/cpufreq/";
  system.files[folder + "scaling_available_governors"] = "performance powersave";
  EXPECT_EQ(of("cpufreq", system).state, grant_state::granted);
  EXPECT_EQ(system.written, (std::map<std::string, std::string>{{folder + "scaling_max_freq", "2000000"}}));
}

TEST(grants, of_energy_tell_an_unreadable_file_from_none) {
  fake_system system;
  const std::string path = "/sys/class/powercap/intel-rapl:0/energy_uj";
  system.unreadable[path] = EACCES;
  EXPECT_EQ(of("RAPL", system).state, grant_state::denied);
  EXPECT_TRUE(holds(of("RAPL", system).remedy, "chmod a+r"));
  system.unreadable[path] = ENOENT;
  EXPECT_EQ(of("RAPL", system).state, grant_state::missing);
}

TEST(grants, of_memory_see_what_the_kernel_is_set_to) {
  fake_system system;
  for (const char* const value : {"1", "2"}) {
    system.files["/proc/sys/kernel/numa_balancing"] = value;
    EXPECT_TRUE(holds(of("NUMA balancing", system).remedy, "numa_balancing=0")) << value;
  }
  system.files["/sys/kernel/mm/transparent_hugepage/enabled"] = "always madvise [never]";
  EXPECT_EQ(of("huge pages", system).state, grant_state::denied);
  system.files.clear();
  EXPECT_EQ(of("huge pages", system).state, grant_state::missing);
  EXPECT_EQ(of("NUMA balancing", system).state, grant_state::missing);
}

TEST(grants, of_time_name_the_quota) {
  const grant one = of("CPU quota", fake_system(), 2.5);
  EXPECT_EQ(one.state, grant_state::denied);
  EXPECT_TRUE(holds(one.detail, "2.5 cores")) << one.detail;
}

}  // namespace

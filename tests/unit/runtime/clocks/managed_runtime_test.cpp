// A runtime with option `power`, on a machine whose clocks and counters are files of a folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include <nearfork/error.hpp>
#include <nearfork/nearfork.hpp>

#include "decoded_trace.hpp"
#include "fake_cpufreq.hpp"
#include "machine/model/machine.hpp"
#include "plan/plans/policy.hpp"
#include "runtime/lifetime/scheduler.hpp"

namespace {

using namespace nearfork;
using test::fake_system;
using test::watched_files;

package_counter_opening no_perf(const event_code&, int) {
  return {nullptr, EACCES};
}

/// This machine, with a policy for each hardware thread.
class managed_runtime : public testing::Test {
 protected:
  managed_runtime() : files(std::make_shared<watched_files>(system.root())) {
    for (const pu& one : live->pus()) {
      const unsigned cpu = number_of(one.os);
      system.add_policy(cpu, std::to_string(cpu));
      cpus.push_back(cpu);
    }
    settings.power = power_use::manage;
    settings.pin = pinning::on;
    settings.spin_us = 0;
  }
  [[nodiscard]] std::unique_ptr<runtime> start() {
    return std::make_unique<runtime>(settings, make_scheduler(settings, {.files = files, .open = no_perf}));
  }
  static constexpr const char* normal = "1800000";
  static constexpr const char* lowest = "1000000";
  /// Waits until all clocks are there; ctest ends a test that waits in vain.
  void wait_for_clocks(const std::string& khz) const {
    for (const unsigned cpu : cpus)
      while (system.setting_of(cpu) != khz) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  [[nodiscard]] static std::size_t lines_on(const run_report& report, const std::string& what) {
    return static_cast<std::size_t>(std::ranges::count(report.degradations, what, &degradation::what));
  }
  static int fib(int n) {
    if (n < 2) return n;
    int a = 0;
    int b = 0;
    fork_join([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
    return a + b;
  }

  const std::shared_ptr<const machine> live = load_machine("");
  fake_system system;
  std::shared_ptr<watched_files> files;
  std::vector<unsigned> cpus;
  config settings;
};

TEST_F(managed_runtime, leaves_clocks_normal_while_nothing_runs_and_restores_them) {
  auto one = start();
  wait_for_clocks(normal);
  EXPECT_EQ(one->run([] { return fib(15); }), 610);
  wait_for_clocks(normal);
  const run_report report = one->report();
  EXPECT_EQ(report.power.mode, "manage");
  EXPECT_EQ(lines_on(report, "frequencies are not set"), 0U);
  EXPECT_EQ(report.power.clocks, live->cores().size());
  EXPECT_GT(report.power.clock_changes, 0U);
  one.reset();
  for (const unsigned cpu : cpus) EXPECT_EQ(system.governor_of(cpu), "schedutil");
}

TEST_F(managed_runtime, lowers_the_clocks_of_workers_that_wait_while_another_works) {
  if (live->cores().size() < 2) GTEST_SKIP() << "this machine has one core";
  const auto one = start();
  one->run([&] {
    const auto any_at = [&](const std::string& khz) {
      return std::ranges::any_of(cpus, [&](unsigned cpu) { return system.setting_of(cpu) == khz; });
    };
    while (!any_at(lowest)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  wait_for_clocks(normal);
}

TEST_F(managed_runtime, gives_the_same_answers_where_files_are_refused) {
  const std::vector<std::string> names{"scaling_governor", "scaling_setspeed", "scaling_min_freq", "scaling_max_freq",
                                       "affected_cpus"};
  for (const int refused : {EACCES, EROFS, ENOENT})
    for (const std::string& name : names) {
      const std::string path = fake_system::policy_file(cpus.front(), name);
      files->refuse_to_open = {{path, refused}};
      files->refuse_to_read = {{path, refused}};
      files->written.clear();
      const auto one = start();
      EXPECT_EQ(one->run([] { return fib(12); }), 144);
      const run_report report = one->report();
      EXPECT_EQ(lines_on(report, "frequencies are not set"), 1U) << path;
      EXPECT_EQ(report.power.clocks, 0U);
      EXPECT_TRUE(files->written.empty()) << files->written.front().first;
    }
}

TEST_F(managed_runtime, is_refused_in_strict_mode_before_work_starts) {
  settings.strict = true;
  settings.policy = "random";
  files->refuse_to_open[fake_system::policy_file(cpus.front(), "scaling_governor")] = EACCES;
  try {
    (void)make_scheduler(settings, {.files = files, .open = no_perf});
    FAIL() << "the governor cannot be written";
  } catch (const error& refused) {
    const std::string text = refused.what();
    EXPECT_NE(text.find("frequencies are not set"), text.npos) << text;
    EXPECT_NE(text.find("scaling_governor"), text.npos) << text;
  }
  EXPECT_TRUE(files->written.empty());
}

TEST_F(managed_runtime, that_strict_mode_refuses_for_something_else_has_restored_all) {
  settings.strict = true;
  settings.policy = "random";
  settings.ignored_variables = {"NEARFORK_SEED"};
  EXPECT_THROW((void)make_scheduler(settings, {.files = files, .open = no_perf}), error);
  EXPECT_FALSE(files->written.empty());
  for (const unsigned cpu : cpus) EXPECT_EQ(system.governor_of(cpu), "schedutil");
}

TEST_F(managed_runtime, needs_workers_that_are_bound) {
  settings.pin = pinning::off;
  const auto one = start();
  const run_report report = one->report();
  ASSERT_EQ(lines_on(report, "frequencies are not set"), 1U);
  EXPECT_TRUE(files->written.empty());
}

TEST_F(managed_runtime, tells_of_a_governor_that_changes_under_it) {
  const auto one = start();
  wait_for_clocks(normal);
  system.put(fake_system::policy_file(cpus.front(), "scaling_governor"), "performance");
  EXPECT_EQ(lines_on(one->report(), "another program sets the clock of some cores"), 1U);
  EXPECT_EQ(lines_on(one->report(), "another program sets the clock of some cores"), 1U);
}

TEST_F(managed_runtime, touches_nothing_where_power_is_off_or_reported) {
  system.add_package(0, 10, 1'000'000);
  for (const power_use use : {power_use::off, power_use::report}) {
    settings.power = use;
    const auto one = start();
    EXPECT_EQ(one->run([] { return fib(10); }), 55);
    EXPECT_EQ(one->report().power.clocks, 0U);
    EXPECT_TRUE(files->written.empty());
  }
}

TEST_F(managed_runtime, reports_the_energy_of_each_region) {
  settings.power = power_use::report;
  system.add_package(0, 1'000, 10'000'000);
  system.add_package(1, 0, 10'000'000);
  const auto one = start();
  for (std::uint64_t i = 1; i <= 3; ++i)
    one->run([&] {
      region({.name = "heat"}, [&] { system.set_energy(0, 1'000 + i * 2'000'000); });
      system.set_energy(0, 1'000 + i * 2'000'000 + 500'000);  // between iterations
    });
  const run_report report = one->report();
  EXPECT_EQ(report.power.energy_source, "powercap");
  EXPECT_EQ(report.power.energy_note, "");
  ASSERT_EQ(report.power.energy.size(), 2U);
  EXPECT_DOUBLE_EQ(report.power.energy[0].joules, 6.5);
  ASSERT_EQ(report.regions.size(), 1U);
  const region_report& heat = report.regions[0];
  EXPECT_EQ(heat.energy_iterations, 3U);
  ASSERT_EQ(heat.energy.size(), 2U);
  EXPECT_EQ(heat.energy[0].package, "package-0");
  EXPECT_DOUBLE_EQ(heat.energy[0].joules, 2.0 + 1.5 + 1.5);
  EXPECT_GT(heat.energy[0].watts, 0);
  EXPECT_DOUBLE_EQ(heat.energy[1].joules, 0);
}

/// What a counter of a trace was, one value after the other.
std::vector<double> values_of(const test::decoded_trace& trace, const std::string& counter) {
  std::vector<double> made;
  for (const test::decoded_event& one : trace.events)
    if (one.type == 4 && trace.tracks.at(one.track) == counter) made.push_back(one.value);
  return made;
}

TEST_F(managed_runtime, traces_its_clocks_and_the_power_of_each_iteration) {
  const auto path = std::filesystem::temp_directory_path() / ("nearfork-clocks-" + std::to_string(::getpid()));
  settings.trace = path.string();
  system.add_package(0, 0, 10'000'000);
  {
    const auto one = start();
    wait_for_clocks(normal);
    for (std::uint64_t i = 1; i <= 3; ++i)
      one->run([&] {
        region({.name = "heat"}, [&] {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
          system.set_energy(0, i * 2'000'000);
        });
      });
    if (live->cores().size() > 1) {
      one->run([&] {  // the others wait
        while (std::ranges::none_of(cpus, [&](unsigned cpu) { return system.setting_of(cpu) == lowest; }))
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
      });
      wait_for_clocks(normal);  // each change is traced before the next one is made
    }
  }
  std::ifstream file(path, std::ios::binary);
  const test::decoded_trace trace = test::trace_decoder().decode({std::istreambuf_iterator<char>(file), {}});
  std::filesystem::remove(path);
  std::vector<double> all;
  for (std::size_t core = 0; core < live->cores().size(); ++core) {
    const std::vector<double> mhz = values_of(trace, "MHz of core " + std::to_string(core));
    ASSERT_FALSE(mhz.empty()) << core;
    for (std::size_t i = 1; i < mhz.size(); ++i) EXPECT_NE(mhz[i], mhz[i - 1]) << "changes alone are told";
    all.insert(all.end(), mhz.begin(), mhz.end());
  }
  EXPECT_THAT(all, testing::Contains(1800));
  if (live->cores().size() > 1) {
    EXPECT_THAT(all, testing::Contains(1000));
  }
  const std::vector<double> watts = values_of(trace, "W of package-0, mean of the iteration");
  ASSERT_EQ(watts.size(), 3U);
  for (const double one : watts) {
    EXPECT_GT(one, 0);
    EXPECT_LE(one, 2000) << "2 J in a millisecond or longer";
  }
}

/// Energy goes with the square of the clock, time does not change: as if all cores waited for memory. 12/16 of 1.8 GHz
/// become 1.0 GHz, the next lower clock that the driver has, and no step below that takes less.
TEST_F(managed_runtime, finds_the_clocks_that_a_goal_wants) {
  settings.goal = run_goal::energy;
  settings.policy = "random";
  system.add_package(0, 0, std::uint64_t{1} << 60);
  const auto one = start();
  wait_for_clocks(normal);
  std::uint64_t taken_uj = 0;
  std::string name;
  const auto iterate = [&] {
    region({.name = name}, [&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(4));
      double fastest = 0;
      for (const unsigned cpu : cpus) fastest = std::max(fastest, std::strtod(system.setting_of(cpu).c_str(), nullptr));
      taken_uj += static_cast<std::uint64_t>(fastest * fastest / 1e6);
      system.set_energy(0, taken_uj);
    });
  };
  const auto told = [&] {
    const run_report report = one->report();
    return report.regions.empty() ? std::string() : report.regions.back().why.back();
  };
  const auto has_settled = [&] {
    return told().starts_with("goal energy: ") && !told().starts_with("goal energy: so");
  };
  // On a busy machine times waver, and a region may settle elsewhere. ctest ends a test that waits in vain.
  for (int attempt = 0; !told().starts_with("goal energy: 12/16 of normal clocks"); ++attempt) {
    name = "heat " + std::to_string(attempt);
    do one->run(iterate);
    while (!has_settled());
  }
  // Not so the work between regions.
  wait_for_clocks(normal);
  EXPECT_EQ(lines_on(one->report(), "the goal is not pursued"), 0U);
}

TEST_F(managed_runtime, says_why_a_goal_is_not_pursued) {
  settings.goal = run_goal::edp;
  EXPECT_EQ(lines_on(start()->report(), "the goal is not pursued"), 1U) << "no counter of energy";
  system.add_package(0, 0, 1'000'000);
  EXPECT_EQ(lines_on(start()->report(), "the goal is not pursued"), 0U);
  settings.power = power_use::report;
  EXPECT_EQ(lines_on(start()->report(), "the goal is not pursued"), 1U) << "clocks are not managed";
  settings.power = power_use::off;
  EXPECT_EQ(lines_on(start()->report(), "the goal is not pursued"), 1U);
  settings.strict = true;
  settings.policy = "random";
  EXPECT_THROW((void)make_scheduler(settings, {.files = files, .open = no_perf}), error);
}

TEST_F(managed_runtime, says_why_no_energy_is_reported) {
  settings.power = power_use::report;
  const run_report report = start()->report();
  EXPECT_EQ(lines_on(report, "energy is not measured"), 1U);
  EXPECT_NE(report.power.energy_note.find("intel-rapl"), std::string::npos);
  settings.strict = true;
  settings.policy = "random";
  EXPECT_THROW((void)make_scheduler(settings, {.files = files, .open = no_perf}), error);
}

TEST_F(managed_runtime, tells_when_a_counter_is_lost) {
  settings.power = power_use::report;
  system.add_package(0, 1'000, 10'000'000);
  const auto one = start();
  files->refuse_to_read["/sys/class/powercap/intel-rapl:0/energy_uj"] = ENODATA;
  one->run([] { region({.name = "late"}, [] {}); });
  const run_report report = one->report();
  EXPECT_EQ(lines_on(report, "energy is not measured"), 1U);
  EXPECT_TRUE(report.regions.at(0).energy.empty());
}

}  // namespace

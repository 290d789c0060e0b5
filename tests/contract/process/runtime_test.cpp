#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <thread>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using namespace std::chrono_literals;

using nearfork::test::sanitized;
using nearfork::test::with_workers;

TEST(runtime, returns_and_rethrows_what_the_function_does) {
  nearfork::runtime runtime(with_workers(2));
  EXPECT_EQ(runtime.run([] { return 3; }), 3);
  int target = 0;
  runtime.run([&]() -> int& { return target; }) = 8;
  EXPECT_EQ(target, 8);
  EXPECT_THROW(runtime.run([] { throw std::runtime_error("root"); }), std::runtime_error);
  EXPECT_EQ(runtime.run([] { return 4; }), 4) << "usable after an exception";
}

TEST(runtime, has_the_workers_that_were_asked_for) {
  for (const unsigned workers : {1U, 2U, 7U}) {
    nearfork::runtime runtime(with_workers(workers));
    EXPECT_EQ(runtime.workers(), workers);
    EXPECT_LT(runtime.run([] { return nearfork::this_worker::index(); }), workers);
  }
}

TEST(runtime, runs_nested_calls_in_place_and_other_runtimes_elsewhere) {
  nearfork::runtime one(with_workers(2));
  nearfork::runtime other(with_workers(3));
  one.run([&] {
    EXPECT_EQ(one.run([] { return 1; }), 1);
    EXPECT_EQ(nearfork::run([] { return 2; }), 2);
    EXPECT_EQ(other.run([] { return 3; }), 3);
  });
  EXPECT_EQ(one.report().roots, 1U);
  EXPECT_EQ(other.report().roots, 1U);
}

TEST(runtime, names_what_is_allowed_when_the_policy_is_unknown) {
  nearfork::config settings;
  settings.policy = "randon";
  try {
    nearfork::runtime runtime(settings);
    FAIL() << "nothing was thrown";
  } catch (const nearfork::error& refused) {
    EXPECT_NE(std::string(refused.what()).find("random"), std::string::npos) << refused.what();
  }
}

/// Checks a state, not a duration: all workers end up parked, and then the process uses next to nothing of one core.
TEST(runtime, parks_all_workers_when_idle) {
  for (const unsigned workers : {2U, 64U}) {
    nearfork::runtime runtime(with_workers(workers));
    runtime.run([] {});
    std::this_thread::sleep_for(200ms);
    rusage before{}, after{};
    getrusage(RUSAGE_SELF, &before);
    const std::uint64_t parks = runtime.report().parks;
    std::this_thread::sleep_for(300ms);
    getrusage(RUSAGE_SELF, &after);
    EXPECT_EQ(runtime.report().parks, parks) << "nobody woke up";
    if (!sanitized) {  // the thread sanitizer runs a thread of its own
      EXPECT_LE(after.ru_nvcsw - before.ru_nvcsw, 3) << "only the sleeps of this thread";
    }
    EXPECT_EQ(runtime.run([] { return 1; }), 1) << "and they wake";
  }
}

TEST(runtime, says_which_worker_is_no_longer_bound) {
  cpu_set_t all;
  ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
  nearfork::config settings = with_workers(1);
  settings.pin = nearfork::pinning::on;
  nearfork::runtime runtime(settings);
  const std::optional<unsigned> bound_to = runtime.report().workers.at(0).os_pu;
  if (!bound_to || CPU_COUNT(&all) < 2) GTEST_SKIP() << "skipped: one PU, or this system does not pin";
  // Sets the affinity as the kernel does for the threads of a PU that is taken offline. Not in a call, which may begin
  // on this thread, as may a task that this thread waits for.
  auto is_set = nearfork::async(runtime, [&] { return ::sched_setaffinity(0, sizeof all, &all); });
  while (!is_set.ready()) std::this_thread::yield();
  ASSERT_EQ(is_set.get(), 0);
  const nearfork::run_report report = runtime.report();
  EXPECT_FALSE(report.workers.at(0).os_pu);
  EXPECT_EQ(report.workers.at(0).pin_note, "no longer bound to PU " + std::to_string(*bound_to));
  ASSERT_EQ(report.degradations.size(), 1U);
  EXPECT_EQ(report.degradations.front().what, "worker is no longer pinned");
  EXPECT_EQ(report.degradations.front().where, "worker 0, PU " + std::to_string(*bound_to));
}

TEST(runtime, counts_what_happened) {
  nearfork::runtime runtime(with_workers(2));
  std::atomic<bool> stolen{false};
  runtime.run([&] {
    nearfork::fork_join(
        [&] {
          while (!stolen.load()) std::this_thread::yield();
        },
        [&] { stolen.store(true); });
  });
  const nearfork::run_report report = runtime.report();
  EXPECT_EQ(report.roots, 1U);
  EXPECT_EQ(std::accumulate(report.steals.begin(), report.steals.end(), std::uint64_t{0}), 1U);
  EXPECT_EQ(report.steal_latency.count, 1U);
  EXPECT_GE(report.publications, 1U);
  EXPECT_GE(report.fibers_made, 2U);
  EXPECT_GT(report.peak_stack_bytes, 0U);
  EXPECT_EQ(report.workers.size(), 2U);
  EXPECT_EQ(report.policy, "auto");
}

TEST(runtime, has_hwloc_in_memory_only_while_the_machine_is_read) {
  nearfork::runtime runtime(with_workers(2));
  EXPECT_EQ(runtime.run([] { return 6; }), 6);
  std::ifstream file("/proc/self/maps");
  const std::string maps{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(maps.find("libc.so"), maps.npos);
  EXPECT_EQ(maps.find("libhwloc"), maps.npos);
}

TEST(runtime, refuses_to_run_in_the_child_of_a_fork) {
  if (sanitized) GTEST_SKIP() << "sanitizers do not support fork() with threads";
  nearfork::runtime runtime(with_workers(2));
  runtime.run([] {});
  const pid_t child = fork();
  if (child == 0) {
    try {
      runtime.run([] {});
    } catch (const nearfork::error& refused) {
      try {
        nearfork::runtime own(with_workers(2));
        _exit(std::strstr(refused.what(), "fork()") != nullptr && own.run([] { return 1; }) == 1 ? 0 : 2);
      } catch (...) {
        _exit(3);
      }
    }
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(runtime.run([] { return 5; }), 5) << "the parent goes on";
}

__attribute__((noinline)) int eat_stack(int depth) {
  volatile char room[512];
  room[0] = static_cast<char>(depth);
  return depth == 0 ? room[0] : eat_stack(depth - 1) + room[0];
}

TEST(runtime_death_test, says_that_a_task_ran_over_its_stack) {
  if (sanitized) GTEST_SKIP() << "sanitizers report stack overflows by themselves";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        nearfork::runtime runtime(with_workers(2));
        runtime.run([] { return eat_stack(1 << 20); });
      },
      "stack overflow in a task on worker .* 819[0-9] KiB.*NEARFORK_STACK_BYTES");
}

}  // namespace

// Tasks go on in the worker that has their data: after a join, and from call to call.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::fork_join;
using nearfork::task_group;
using nearfork::test::with_workers;

/// Two workers, which search for long.
nearfork::config wide_awake() {
  auto settings = with_workers(2);
  settings.spin_us = 10'000;
  return settings;
}

/// Until another worker has begun `other`; forks answer those that look for work.
void fork_until(const std::atomic<bool>& other) {
  while (!other.load()) (void)fork_join([] { return 1; }, [] { return 2; });
}

using clock = std::chrono::steady_clock;

struct outcome {
  bool at_once = false;  // both workers had a core when the first task ended
  bool stayed = false;   // the join waited, and the task went on in the same thread
};

/// The stolen task ends some microseconds after the other one: a worker that searches for longer gives its core away on
/// a busy machine.
outcome join_stolen_task(const nearfork::runtime& runtime) {
  outcome made;
  std::atomic<bool> stolen{false};
  std::atomic<bool> alone{false};
  std::uint64_t waits_before = 0;
  clock::time_point ends;
  const auto before = ::gettid();  // compilers take pthread_self() for the same throughout a function
  const auto waits = [&] { return runtime.report().suspensions; };
  fork_join(
      [&] {
        fork_until(stolen);
        waits_before = waits();
        ends = clock::now();
        alone = true;
      },
      [&] {
        stolen = true;
        while (!alone) {
        }
        const auto since = clock::now();
        made.at_once = since - ends < std::chrono::microseconds(1);
        while (clock::now() - since < std::chrono::microseconds(4)) {
        }
      });
  made.stayed = made.at_once && waits() > waits_before && ::gettid() == before;
  return made;
}

/// Not each time: a worker that the system stops while it searches does not see that its task has come home.
TEST(homecoming, is_where_a_join_waited_if_that_worker_has_nothing_else_to_do) {
  nearfork::runtime runtime(wide_awake());
  int at_once = 0;
  int stayed = 0;
  for (int round = 0; round < 1000 && stayed < 10; ++round) {
    const outcome seen = runtime.run([&] { return join_stolen_task(runtime); });
    at_once += seen.at_once ? 1 : 0;
    stayed += seen.stayed ? 1 : 0;
  }
  if (stayed < 10 && at_once < 100) GTEST_SKIP() << "both workers had a core in " << at_once << " rounds of 1000";
  EXPECT_EQ(stayed, 10);
}

/// The thread that spawned both runs the younger one, whose own tasks are younger still. As many rounds as go by before
/// the runtime tries whether the thread is quicker alone, with a lane that nobody sees.
TEST(homecoming, of_a_thread_outside_leaves_its_older_tasks_to_others_first) {
  nearfork::runtime runtime(wide_awake());
  const auto spawner = ::gettid();
  int in_order = 0;
  int out_of_order = 0;  // the worker that asks may come just after the spawner has begun its task
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> begun{0};
    std::atomic<int> elder_began{-1};
    std::atomic<int> inner_began{-1};
    bool by_spawner = false;
    task_group both(runtime);
    both.spawn([&] { elder_began = begun++; });
    both.spawn([&] {
      by_spawner = ::gettid() == spawner;
      task_group inner;
      inner.spawn([&] {
        if (::gettid() != spawner) inner_began = begun++;
      });
      while (begun.load() == 0) std::this_thread::yield();
      inner.sync();
    });
    both.sync();
    if (!by_spawner) continue;
    const bool is_right = inner_began < 0 || elder_began < inner_began;
    ++(is_right ? in_order : out_of_order);
  }
  EXPECT_LE(out_of_order, 1 + in_order / 10);
}

}  // namespace

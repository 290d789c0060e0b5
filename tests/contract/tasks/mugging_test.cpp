// Policy aaws on threads: a task on a slower core moves at a join to a worker on a faster core that has nothing to do.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

/// Eight fast cores, which have the first workers, and eight slow ones.
nearfork::config on_alder_lake() {
  nearfork::config settings = nearfork::test::with_workers(16);
  settings.machine = NEARFORK_SOURCE_DIR "/machines/alder-lake.xml";
  settings.policy = "aaws";
  return settings;
}
struct step_failed {};

bool on_fast_core() {
  return nearfork::this_worker::index() < 8;
}

using clock = std::chrono::steady_clock;

/// Each worker runs `body` once, all at the same time. Returns how many of them ended on a fast core.
template <class Body>
int on_each_worker(nearfork::runtime& runtime, const Body& body) {
  constexpr int tasks = 16;
  std::atomic<int> started{0};
  std::atomic<int> ended_fast{0};
  runtime.run([&] {
    const auto until = clock::now() + std::chrono::seconds(30);
    nearfork::task_group group;
    for (int i = 0; i < tasks; ++i)
      group.spawn([&] {
        started.fetch_add(1);
        while (started.load() < tasks && clock::now() < until) std::this_thread::yield();
        body();
        ended_fast.fetch_add(on_fast_core() ? 1 : 0);
      });
    group.sync();
  });
  EXPECT_EQ(started.load(), tasks);
  return ended_fast.load();
}

TEST(mugging, moves_tasks_from_slow_cores_to_idle_fast_ones_at_joins) {
  nearfork::runtime runtime(on_alder_lake());
  const auto until = clock::now() + std::chrono::seconds(30);
  // A task may also move because its child was stolen.
  for (int round = 0; round < 20 && runtime.report().mugs == 0; ++round)
    EXPECT_EQ(on_each_worker(runtime,
                             [until] {
                               while (!on_fast_core() && clock::now() < until) nearfork::fork_join([] {}, [] {});
                             }),
              16);
  EXPECT_GT(runtime.report().mugs, 0U);
}

/// A stretch without forks, then a fork, a group and an exception, each with a join at which nothing is left to steal.
void make_a_step() {
  for (const auto until = clock::now() + std::chrono::microseconds(20); clock::now() < until;) continue;
  const auto [a, b] = nearfork::fork_join([] { return 1; }, [] { return 2; });
  EXPECT_EQ(a + b, 3);
  int spawned = 0;
  nearfork::task_group group;
  group.spawn([&] { spawned = 4; });
  group.sync();
  EXPECT_EQ(spawned, 4);
  EXPECT_THROW(nearfork::fork_join([] {}, [] { throw step_failed{}; }), step_failed);
}

TEST(mugging, keeps_results_and_exceptions_of_the_tasks_that_move) {
  nearfork::runtime runtime(on_alder_lake());
  const auto until = clock::now() + std::chrono::seconds(30);
  for (int round = 0; round < 20; ++round)
    EXPECT_EQ(on_each_worker(runtime,
                             [until] {
                               while (!on_fast_core() && clock::now() < until) make_a_step();
                             }),
              16);
  EXPECT_GT(runtime.report().mugs, 0U);
}

TEST(mugging, is_left_to_the_policy_that_asks_for_it) {
  nearfork::config settings = on_alder_lake();
  settings.policy = "random";
  nearfork::runtime runtime(settings);
  (void)on_each_worker(runtime, [] {
    for (int i = 0; i < 20; ++i) make_a_step();
  });
  EXPECT_EQ(runtime.report().mugs, 0U);
}

}  // namespace

// Frames that spawn more tasks than a deque holds.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::task_group;
using nearfork::test::with_workers;

constexpr std::size_t deque_holds = 8000;

/// While the deque is full and most of it is stolen, the spawner would run what it spawns at once, and the others would
/// have nothing.
TEST(spawns_beyond_the_deque, leave_long_tasks_to_the_other_workers) {
  if (nearfork::detail::expects_waiting_tasks()) GTEST_SKIP() << "tasks of this process have waited in suspend()";
  constexpr std::size_t more = 300;
  nearfork::runtime two(with_workers(2));
  std::atomic<std::size_t> taken{0};
  std::atomic<std::size_t> ran{0};
  std::size_t ran_at_once = 0;
  two.run([&] {
    const auto spawner = std::this_thread::get_id();
    bool spawns = true;
    task_group group;
    for (std::size_t i = 0; i < deque_holds; ++i) group.spawn([&taken] { taken.fetch_add(1); });
    while (taken.load() < deque_holds - 500) std::this_thread::yield();
    for (std::size_t i = 0; i < more; ++i)
      group.spawn([&] {
        std::this_thread::sleep_for(std::chrono::microseconds(20));
        if (std::this_thread::get_id() == spawner && spawns) ++ran_at_once;
        ran.fetch_add(1);
      });
    spawns = false;
    group.sync();
  });
  EXPECT_EQ(ran.load(), more);
  EXPECT_LE(ran_at_once, 10U);  // one in 64, and those before it is known how long they take
}

TEST(spawns_beyond_the_deque, run_each_task_once_whatever_it_takes) {
  for (const unsigned workers : {1U, 2U, 5U}) {
    nearfork::runtime own(with_workers(workers));
    std::vector<std::atomic<int>> runs(20'000);
    own.run([&] {
      task_group group;
      for (std::size_t i = 0; i < runs.size(); ++i)
        group.spawn([&, i] {
          if (i % 100 == 0) std::this_thread::sleep_for(std::chrono::microseconds(10));
          if (i % 7 == 0) group.spawn([&, i] { runs[i].fetch_add(1); });
          else runs[i].fetch_add(1);
        });
      group.sync();
    });
    for (const auto& run : runs) ASSERT_EQ(run.load(), 1) << workers;
  }
}

/// The thread lets the workers catch up where they can, and does not wait for those that wait for it.
TEST(spawns_beyond_the_deque, from_a_thread_outside_may_wait_for_that_thread) {
  nearfork::runtime two(with_workers(2));
  std::atomic<bool> all_spawned{false};
  std::atomic<std::size_t> ran{0};
  constexpr std::size_t many = 3 * deque_holds;
  task_group group(two);
  for (std::size_t i = 0; i < many; ++i)
    group.spawn([&] {
      all_spawned.wait(false);
      ran.fetch_add(1);
    });
  all_spawned = true;
  all_spawned.notify_all();
  group.sync();
  EXPECT_EQ(ran.load(), many);
}

}  // namespace

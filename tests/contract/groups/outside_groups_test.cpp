// Groups whose tasks a thread outside workers spawns.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <semaphore>
#include <thread>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::task_group;
using nearfork::test::with_workers;

/// The spawner may do anything before it waits, also sleep until the tasks have met: then no worker may stay in bed for
/// the spawner's sake. There are as many workers as cores, since only then one does, for a while.
TEST(outside_groups, have_all_workers_although_their_thread_does_not_come) {
  const unsigned workers = std::max(2U, std::thread::hardware_concurrency());
  nearfork::runtime runtime(with_workers(workers));
  for (int round = 0; round < 50; ++round) {
    std::atomic<unsigned> begun{0};
    std::binary_semaphore met{0};
    task_group all(runtime);
    for (unsigned i = 0; i < workers; ++i)
      all.spawn([&] {
        if (begun.fetch_add(1) + 1 == workers) met.release();
        while (begun.load() < workers) std::this_thread::yield();
      });
    met.acquire();
    all.sync();
    EXPECT_EQ(begun.load(), workers);
  }
}

TEST(outside_groups, run_each_task_once_whoever_takes_part) {
  nearfork::runtime runtime(with_workers(std::max(2U, std::thread::hardware_concurrency())));
  for (int round = 0; round < 200; ++round) {
    constexpr int most = 40;
    std::array<std::atomic<int>, most> runs{};
    task_group all(runtime);
    const int tasks = 1 + round % most;
    for (int i = 0; i < tasks; ++i)
      all.spawn([&runs, i] {
        if (i % 3 == 0) std::this_thread::yield();
        runs[static_cast<std::size_t>(i)].fetch_add(1);
      });
    all.sync();
    for (int i = 0; i < most; ++i) ASSERT_EQ(runs[static_cast<std::size_t>(i)].load(), i < tasks ? 1 : 0);
  }
}

}  // namespace

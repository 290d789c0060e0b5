// Groups whose tasks a thread outside workers spawns.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <semaphore>
#include <stdexcept>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/contract/groups/run_counts.hpp"
#include "tests/runtime_settings.hpp"

namespace {

using nearfork::task_group;
using nearfork::test::run_counts;
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

/// The same while the spawner looks for what the tasks do, and keeps a core by that: as many tasks meet as there are
/// workers, so the last worker that sleeps must come, too. Groups before make the spawner known.
TEST(outside_groups, have_all_workers_although_their_thread_does_not_stop) {
  const unsigned workers = std::max(2U, std::thread::hardware_concurrency());
  nearfork::runtime runtime(with_workers(workers));
  for (int round = 0; round < 30; ++round) {
    for (int small = 0; small < 20; ++small) {
      task_group some(runtime);
      for (int i = 0; i < 4; ++i) some.spawn([] {});
      some.sync();
    }
    std::atomic<unsigned> begun{0};
    task_group all(runtime);
    for (unsigned i = 0; i < workers; ++i)
      all.spawn([&] {
        ++begun;
        while (begun.load() < workers) std::this_thread::yield();
      });
    while (begun.load() < workers) {
    }
    all.sync();
    EXPECT_EQ(begun.load(), workers);
  }
}

/// Groups at each level of a recursion: its outermost frames are on the thread outside, which waits in groups inside
/// groups, and spawns between the waits.
TEST(outside_groups, nest_in_the_frames_of_their_thread) {
  struct recursion {
    nearfork::runtime& runtime;
    run_counts& ran;
    void visit(std::size_t first, std::size_t leaves) const {
      if (leaves == 1) return ran.count(first);
      task_group both(runtime);
      both.spawn([this, first, leaves] { visit(first + leaves / 2, leaves / 2); });
      visit(first, leaves / 2);
      both.sync();
    }
  };
  constexpr std::size_t leaves = 256;
  nearfork::runtime runtime(with_workers(std::max(2U, std::thread::hardware_concurrency())));
  const auto recur = [&] {
    for (int round = 0; round < 200; ++round) {
      run_counts ran(leaves);
      recursion{runtime, ran}.visit(0, leaves);
      EXPECT_TRUE(ran.one_each());
    }
  };
  recur();
  {
    const std::jthread first(recur), second(recur);
  }
  nearfork::runtime other(with_workers(2));
  task_group around(other);  // the thread spawns for two runtimes then
  std::atomic<int> ran_there{0};
  for (int i = 0; i < 100; ++i) around.spawn([&] { ++ran_there; });
  recur();
  around.sync();
  EXPECT_EQ(ran_there, 100);
}

/// The thread takes the place of a worker that was woken, and wakes the next one itself. The trace wants to know who
/// does, and the thread is on its own stack still.
TEST(outside_groups, can_be_traced) {
  auto settings = with_workers(std::max(2U, std::thread::hardware_concurrency()));
  settings.trace = "/dev/null";
  nearfork::runtime runtime(settings);
  int ran = 0;
  constexpr int rounds = 50'000;
  for (int round = 0; round < rounds; ++round) {
    task_group one(runtime);
    one.spawn([&] { ++ran; });
    one.sync();
  }
  EXPECT_EQ(ran, rounds);
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

class outside_groups_of : public testing::TestWithParam<unsigned> {
 protected:
  nearfork::runtime runtime{with_workers(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(workers, outside_groups_of, testing::Values(1U, 2U, 3U));

/// The spawner waits for what the tasks do, and says nothing to the runtime meanwhile. Workers are awake, searching, on
/// their way to sleep, or asleep.
TEST_P(outside_groups_of, run_their_tasks_while_their_thread_waits_otherwise) {
  for (int round = 0; round < 300; ++round) {
    task_group all(runtime);
    std::atomic<int> done{0};
    const int tasks = 1 + round % 5;
    for (int i = 0; i < tasks; ++i) {
      all.spawn([&] { done.fetch_add(1); });
      if (round % 7 == 0) std::this_thread::yield();
    }
    if (round % 11 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    while (done.load() < tasks) std::this_thread::yield();
    all.sync();
  }
}

/// Without a sync() in between: fire and forget.
TEST_P(outside_groups_of, run_each_task_that_is_spawned_now_and_then) {
  task_group all(runtime);
  std::atomic<int> done{0};
  for (int i = 0; i < 200; ++i) {
    all.spawn([&] { done.fetch_add(1); });
    if (i % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(i));
    while (i % 5 == 0 && done.load() <= i) std::this_thread::yield();
  }
  while (done.load() < 200) std::this_thread::yield();
}

TEST_P(outside_groups_of, run_each_task_once_also_if_there_are_more_than_a_deque_holds) {
  run_counts runs(nearfork::test::sanitized ? 20'000 : 50'000);
  task_group all(runtime);
  for (std::size_t i = 0; i < runs.tasks(); ++i) all.spawn([&runs, i] { runs.count(i); });
  all.sync();
  EXPECT_TRUE(runs.one_each());
}

TEST_P(outside_groups_of, of_one_thread_are_many_at_a_time) {
  constexpr std::size_t groups = 40;
  for (int round = 0; round < 20; ++round) {
    run_counts runs(groups * groups);
    std::vector<std::unique_ptr<task_group>> all;
    for (std::size_t i = 0; i < groups; ++i) all.push_back(std::make_unique<task_group>(runtime));
    for (std::size_t i = 0; i < groups * groups; ++i) all[i * 7 % groups]->spawn([&runs, i] { runs.count(i); });
    if (round % 2 == 0)
      for (const auto& one : all) one->sync();
    all.clear();
    EXPECT_TRUE(runs.one_each());
  }
}

TEST_P(outside_groups_of, take_tasks_of_other_threads_and_of_their_own_tasks) {
  for (int round = 0; round < 100; ++round) {
    run_counts runs(90);
    task_group all(runtime);
    const auto spawn_three = [&](std::size_t from) {
      for (std::size_t i = from; i < from + 3; ++i)
        all.spawn([&, i] {
          runs.count(i);
          if (i < 45) all.spawn([&runs, i] { runs.count(i + 45); });
        });
    };
    std::thread other([&] {
      for (std::size_t i = 0; i < 21; i += 3) spawn_three(i);
    });
    for (std::size_t i = 21; i < 45; i += 3) spawn_three(i);
    other.join();
    all.sync();
    EXPECT_TRUE(runs.one_each());
  }
}

TEST_P(outside_groups_of, throw_what_a_task_threw_and_may_be_used_again) {
  task_group all(runtime);
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> done{0};
    for (int i = 0; i < 20; ++i)
      all.spawn([&done, i] {
        if (i == 7) throw std::runtime_error("seven");
        done.fetch_add(1);
      });
    EXPECT_THROW(all.sync(), std::runtime_error);
    EXPECT_LT(done.load(), 20);
    all.spawn([&done] { done = 100; });
    all.sync();
    EXPECT_EQ(done.load(), 100);
  }
}

/// Each task forks, so that the fiber that runs the tasks for the thread may go on elsewhere.
TEST_P(outside_groups_of, have_tasks_that_fork) {
  for (int round = 0; round < 100; ++round) {
    std::atomic<long> sum{0};
    task_group all(runtime);
    for (int i = 0; i < 30; ++i)
      all.spawn([&] {
        nearfork::parallel_for(0, 50, [&](int n) {
          if (n % 17 == 0) std::this_thread::yield();
          sum.fetch_add(n);
        });
      });
    all.sync();
    EXPECT_EQ(sum.load(), 30 * 49 * 50 / 2);
  }
}

/// The thread of one group takes part in its own tasks alone, and so do the threads of others.
TEST_P(outside_groups_of, of_many_threads_do_not_mix) {
  std::vector<std::thread> threads;
  std::atomic<int> foreign{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 100; ++round) {
        static thread_local int at_work = -1;
        at_work = t;
        run_counts runs(25);
        task_group all(runtime);
        for (std::size_t i = 0; i < 25; ++i)
          all.spawn([&, i] {
            if (at_work != -1 && at_work != t) foreign.fetch_add(1);
            runs.count(i);
          });
        all.sync();
        EXPECT_TRUE(runs.one_each());
        at_work = -1;
      }
    });
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(foreign.load(), 0);
}

}  // namespace

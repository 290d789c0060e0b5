// Groups of some microseconds that a thread outside makes again and again: it runs them alone if that has been faster,
// and no worker knows of them. So what follows must not depend on that.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::task_group;
using nearfork::test::with_workers;

class lone_groups : public testing::TestWithParam<unsigned> {
 public:
  using act = void (*)(lone_groups&);

  /// Groups are known by the type of their first task, so all tasks are of this one.
  void spawn(task_group& into, act what) {
    into.spawn([this, what] { what(*this); });
  }
  /// Long enough for several trials.
  void make_short_groups() {
    for (int i = 0; i < 2000; ++i) {
      task_group group(runtime_);
      for (int k = 0; k < 3; ++k) spawn(group, [](lone_groups& here) { here.count_.fetch_add(1); });
      group.sync();
    }
    ASSERT_EQ(count_.exchange(0), 6000);
  }

  nearfork::runtime runtime_{with_workers(GetParam())};
  std::atomic<int> count_{0};
  std::atomic<bool> came_{false};
};

TEST_P(lone_groups, a_task_runs_while_its_spawner_waits_for_it_elsewhere) {
  for (int times = 0; times < 3; ++times) {
    make_short_groups();
    task_group group(runtime_);
    spawn(group, [](lone_groups& here) { here.came_.store(true); });
    while (!came_.load()) std::this_thread::yield();
    group.sync();
    came_.store(false);
  }
}

TEST_P(lone_groups, tasks_that_wait_for_each_other_meet) {
  if (GetParam() == 1) GTEST_SKIP() << "two tasks need two workers";
  for (int times = 0; times < 3; ++times) {
    make_short_groups();
    task_group group(runtime_);
    const act meet = [](lone_groups& here) {
      here.count_.fetch_add(1);
      while (here.count_.load() < 2) std::this_thread::yield();
    };
    spawn(group, meet);
    spawn(group, meet);
    group.sync();
    count_.store(0);
  }
}

TEST_P(lone_groups, a_task_that_is_suspended_is_resumed_by_its_sibling) {
  if (GetParam() == 1) GTEST_SKIP() << "a task that waits in its own way needs another worker";
  for (int times = 0; times < 3; ++times) {
    make_short_groups();
    static std::atomic<nearfork::resumer*> asleep;
    asleep = nullptr;
    task_group group(runtime_);
    spawn(group, [](lone_groups&) {
      nearfork::resumer* sleeper = nullptr;
      while ((sleeper = asleep.load()) == nullptr) std::this_thread::yield();
      sleeper->resume();
      delete sleeper;
    });
    spawn(group, [](lone_groups&) {
      nearfork::suspend([](nearfork::resumer sleeper) { asleep = new nearfork::resumer(std::move(sleeper)); });
    });
    group.sync();
  }
}

TEST_P(lone_groups, of_many_threads_run_each_task_once) {
  constexpr int threads = 6;
  constexpr int rounds = 1500;
  std::vector<std::thread> all;
  std::array<std::array<int, 4>, threads> runs{};
  for (std::array<int, 4>& mine : runs)
    all.emplace_back([&] {
      for (int i = 0; i < rounds; ++i) {
        if (i % 3 == 0) {
          task_group group(runtime_);
          for (int& one : mine) group.spawn([&one] { ++one; });
          group.sync();
        } else if (i % 3 == 1) {
          runtime_.run([&] {
            nearfork::parallel_invoke([&] { ++mine[0]; }, [&] { ++mine[1]; }, [&] { ++mine[2]; }, [&] { ++mine[3]; });
          });
        } else {
          runtime_.run([&] { nearfork::parallel_for(0, 4, [&](int k) { ++mine[static_cast<std::size_t>(k)]; }); });
        }
      }
    });
  for (std::thread& one : all) one.join();
  for (const std::array<int, 4>& mine : runs)
    for (const int one : mine) EXPECT_EQ(one, rounds);
}

/// A thread that finds no place, because all workers are in the long call, takes one beside them.
TEST_P(lone_groups, and_calls_go_on_beside_a_long_one) {
  std::atomic<bool> ends{false};
  std::thread other([&] {
    while (!ends.load()) runtime_.run([&] { nearfork::parallel_for(0, 20'000, [&](int) { count_.fetch_add(1); }); });
  });
  for (int i = 0; i < 3000; ++i) {
    std::array<int, 2> ran{};
    runtime_.run([&] { nearfork::parallel_invoke([&] { ++ran[0]; }, [&] { ++ran[1]; }); });
    ASSERT_EQ(ran, (std::array<int, 2>{1, 1}));
  }
  ends.store(true);
  other.join();
  EXPECT_EQ(count_.load() % 20'000, 0);
}

INSTANTIATE_TEST_SUITE_P(workers, lone_groups, testing::Values(1U, 2U, 4U));

}  // namespace

// Frames that spawn more tasks than a deque holds.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "contract/groups/run_counts.hpp"
#include "tests/runtime_settings.hpp"

namespace {

using nearfork::task_group;
using nearfork::test::run_counts;
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

/// The slots are used again many times, by closures in cells of both sizes and on the heap, while thieves take tasks.
class slots_used_again : public testing::TestWithParam<unsigned> {
 protected:
  static constexpr std::size_t tasks = 12 * deque_holds;
  nearfork::runtime runtime_{with_workers(GetParam())};
  run_counts runs_{tasks};

  template <class Spawn>
  void spawn_all(const Spawn& spawn) {
    for (std::size_t i = 0; i < tasks; ++i) spawn(i);
  }
};
INSTANTIATE_TEST_SUITE_P(workers, slots_used_again, testing::Values(1U, 2U, 5U));

TEST_P(slots_used_again, run_each_task_once) {
  runtime_.run([&] {
    task_group group;
    spawn_all([&](std::size_t i) { group.spawn([this, i] { runs_.count(i); }); });
    group.sync();
  });
  EXPECT_TRUE(runs_.one_each());
}

TEST_P(slots_used_again, keep_closures_of_any_width_and_kind) {
  std::atomic<std::size_t> letters{0};
  runtime_.run([&] {
    task_group group;
    spawn_all([&](std::size_t i) {
      const auto spawn_with = [&](auto held) {
        group.spawn([this, i, held, &letters] {
          letters.fetch_add(held.size());
          runs_.count(i);
        });
      };
      if (i % 3 == 0) spawn_with(std::string(20, 'a'));
      else if (i % 3 == 1) spawn_with(std::array<char, 60>{});
      else spawn_with(std::array<char, 160>{});
    });
    group.sync();
  });
  EXPECT_TRUE(runs_.one_each());
  EXPECT_EQ(letters.load(), tasks / 3 * (20 + 60 + 160));
}

TEST_P(slots_used_again, run_tasks_that_fork_spawn_and_take_their_time) {
  runtime_.run([&] {
    task_group group;
    spawn_all([&](std::size_t i) {
      if (i % 4 == 0) group.spawn([this, i] { nearfork::parallel_invoke([] {}, [this, i] { runs_.count(i); }); });
      else if (i % 4 == 1) group.spawn([this, i, &group] { group.spawn([this, i] { runs_.count(i); }); });
      else
        group.spawn([this, i] {
          if (i % 1000 == 2) std::this_thread::sleep_for(std::chrono::microseconds(50));
          runs_.count(i);
        });
    });
    group.sync();
  });
  EXPECT_TRUE(runs_.one_each());
}

TEST_P(slots_used_again, belong_to_groups_that_take_turns) {
  runtime_.run([&] {
    task_group even;
    task_group odd;
    spawn_all([&](std::size_t i) { (i / 100 % 2 == 0 ? even : odd).spawn([this, i] { runs_.count(i); }); });
    even.sync();
    odd.sync();
  });
  EXPECT_TRUE(runs_.one_each());
}

/// The tasks are of the frame around the loop, and the loop stays the innermost scope.
TEST_P(slots_used_again, from_within_a_loop_leave_its_scope_alone) {
  EXPECT_THROW(runtime_.run([&] {
    task_group group;
    nearfork::parallel_for(0, 2, [&](int part) {
      for (std::size_t i = static_cast<std::size_t>(part); i < tasks; i += 2)
        group.spawn([this, i] { runs_.count(i); });
      if (part == 1) throw std::runtime_error("of the loop");
    });
  }),
               std::runtime_error);
}

TEST_P(slots_used_again, hand_on_the_exception_of_a_task_and_skip_the_rest) {
  std::atomic<std::size_t> ran{0};
  runtime_.run([&] {
    task_group group;
    const auto spawn_some = [&](std::size_t bad) {
      spawn_all([&](std::size_t i) {
        group.spawn([&ran, i, bad] {
          if (i == bad) throw std::runtime_error("of a task");
          ran.fetch_add(1);
        });
      });
    };
    spawn_some(deque_holds / 2);
    EXPECT_THROW(group.sync(), std::runtime_error);
    EXPECT_LT(ran.exchange(0), tasks);
    spawn_some(tasks);
    group.sync();
  });
  EXPECT_EQ(ran.load(), tasks);
}

TEST_P(slots_used_again, stop_when_the_group_is_cancelled) {
  runtime_.run([&] {
    std::atomic<std::size_t> ran{0};
    task_group group;
    spawn_all([&](std::size_t i) {
      if (i == tasks / 2) group.cancel();
      group.spawn([&ran] { ran.fetch_add(1); });
    });
    group.sync();
    EXPECT_LE(ran.load(), tasks / 2);
    spawn_all([&](std::size_t i) { group.spawn([this, i] { runs_.count(i); }); });
    group.sync();
  });
  EXPECT_TRUE(runs_.one_each());
}

TEST_P(slots_used_again, run_each_task_once_in_a_region_that_is_planned) {
  nearfork::config settings = with_workers(GetParam());
  settings.policy = "acab";
  nearfork::runtime planned(settings);
  for (int iteration = 0; iteration < 3; ++iteration) {
    run_counts runs(tasks);
    planned.run([&] {
      nearfork::region("spawns", [&] {
        task_group group;
        spawn_all([&](std::size_t i) { group.spawn([&runs, i] { runs.count(i); }); });
        group.sync();
      });
    });
    EXPECT_TRUE(runs.one_each()) << iteration;
  }
}

}  // namespace

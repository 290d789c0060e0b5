#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::task_group;
using nearfork::test::with_workers;

class task_group_with : public testing::TestWithParam<unsigned> {
 protected:
  nearfork::runtime runtime_{with_workers(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(workers, task_group_with, testing::Values(1U, 2U, 5U));

TEST_P(task_group_with, runs_each_task_exactly_once_also_more_than_a_deque_holds) {
  constexpr std::size_t tasks = 30'000;
  std::vector<std::atomic<int>> runs(tasks);
  runtime_.run([&] {
    task_group group;
    for (std::size_t i = 0; i < tasks; ++i) group.spawn([&runs, i] { runs[i].fetch_add(1); });
    group.sync();
    for (const auto& run : runs) ASSERT_EQ(run.load(), 1);
  });
}

TEST_P(task_group_with, waits_for_tasks_that_tasks_spawn) {
  std::atomic<int> ran{0};
  struct recursion {
    task_group& group;
    std::atomic<int>& ran;
    void descend(int depth) const {
      ran.fetch_add(1);
      if (depth == 0) return;
      for (int i = 0; i < 3; ++i) group.spawn([*this, depth] { descend(depth - 1); });
    }
  };
  runtime_.run([&] {
    task_group group;
    recursion{group, ran}.descend(7);
    group.sync();
    EXPECT_EQ(ran.load(), 3280);
  });
}

TEST_P(task_group_with, mixes_with_forks_and_spawns_from_forked_children) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> ran{0};
    runtime_.run([&] {
      task_group group;
      group.spawn([&] { ran.fetch_add(1); });
      nearfork::fork_join(
          [&] { group.spawn([&] { ran.fetch_add(1); }); },
          [&] { group.spawn([&] { nearfork::fork_join([&] { ran.fetch_add(1); }, [&] { ran.fetch_add(1); }); }); },
          [&] { group.spawn([&] { ran.fetch_add(1); }); });
      group.spawn([&] { ran.fetch_add(1); });
      group.sync();
      EXPECT_EQ(ran.load(), 6);
    });
  }
}

TEST_P(task_group_with, lets_groups_interleave_in_one_frame) {
  for (int round = 0; round < 2000; ++round)
    runtime_.run([&] {
      std::atomic<int> in_first{0}, in_second{0}, in_third{0};
      task_group first, second, third;
      for (int i = 0; i < 20; ++i) {
        first.spawn([&] { in_first.fetch_add(1); });
        second.spawn([&] { in_second.fetch_add(1); });
        if (i % 3 == 0) third.spawn([&] { in_third.fetch_add(1); });
      }
      second.sync();
      EXPECT_EQ(in_second.load(), 20);
      third.spawn([&] { in_third.fetch_add(1); });
      first.sync();
      EXPECT_EQ(in_first.load(), 20);
      second.spawn([&] { in_second.fetch_add(1); });
      third.sync();
      second.sync();
      EXPECT_EQ(in_third.load(), 8);
      EXPECT_EQ(in_second.load(), 21);
    });
}

// Thieves have the tasks of both groups. The older group may not use its slots again while the younger one's task runs.
TEST(task_group, waits_for_its_own_stolen_tasks_while_a_younger_group_has_some) {
  nearfork::runtime three(with_workers(3));
  for (int round = 0; round < 200; ++round)
    three.run([&] {
      std::atomic<int> begun{0}, in_older{0}, in_younger{0};
      std::atomic<bool> older_may_end{false}, younger_may_end{false};
      const auto hold = [&](const std::atomic<bool>& may_end) {
        for (begun.fetch_add(1); !may_end;) std::this_thread::yield();
      };
      task_group older, younger;
      older.spawn([&] { hold(older_may_end), in_older.fetch_add(1); });
      younger.spawn([&] { hold(younger_may_end), in_younger.fetch_add(1); });
      while (begun < 2) std::this_thread::yield();
      older_may_end = true;
      older.sync();
      EXPECT_EQ(in_older.load(), 1);
      EXPECT_EQ(in_younger.load(), 0);
      older.spawn([&] { in_older.fetch_add(1); });
      const auto [one, two] = nearfork::fork_join([] { return 1; }, [] { return 2; });
      EXPECT_EQ(one + two, 3);
      older.sync();
      EXPECT_EQ(in_older.load(), 2);
      younger.spawn([&] { in_younger.fetch_add(1); });
      younger_may_end = true;
      younger.sync();
      EXPECT_EQ(in_younger.load(), 2);
      for (task_group* group : {&older, &younger, &older}) group->spawn([&] { in_older.fetch_add(1); });
      older.sync();
      younger.sync();
      EXPECT_EQ(in_older.load(), 5);
    });
}

TEST_P(task_group_with, throws_the_first_exception_cancels_the_rest_and_is_as_new_afterwards) {
  runtime_.run([&] {
    task_group group;
    std::atomic<int> ran{0};
    for (int i = 0; i < 100; ++i)
      group.spawn([&, i] {
        ran.fetch_add(1);
        if (i == 50) throw std::runtime_error("task");
      });
    EXPECT_THROW(group.sync(), std::runtime_error);
    EXPECT_LE(ran.load(), 100);
    EXPECT_FALSE(group.cancelled());
    group.spawn([&] { ran = -1; });
    group.sync();
    EXPECT_EQ(ran.load(), -1);
  });
}

TEST_P(task_group_with, skips_tasks_once_cancelled) {
  runtime_.run([&] {
    task_group group;
    std::atomic<int> ran{0};
    group.cancel();
    for (int i = 0; i < 10; ++i) group.spawn([&] { ran.fetch_add(1); });
    group.sync();
    EXPECT_EQ(ran.load(), 0);
  });
}

TEST_P(task_group_with, frees_every_task) {
  const auto alive = std::make_shared<int>(0);
  runtime_.run([&] {
    task_group group;
    for (int i = 0; i < 1000; ++i)
      group.spawn([alive, &group, i] {
        if (i == 500) group.cancel();
      });
    group.sync();
  });
  EXPECT_EQ(alive.use_count(), 1);
}

/// Copies and ends itself in parallel: groups run while a spawn copies it, and while a task is taken from its cell.
struct busy_value {
  explicit busy_value(std::atomic<int>& ended) : ended_(&ended) {}
  busy_value(const busy_value& other) : ended_(other.ended_) {
    task_group both;
    both.spawn([&] { first = other.first; });
    both.spawn([&] { second = other.second; });
    both.sync();
  }
  busy_value(busy_value&& other) noexcept : first(other.first), second(other.second), ended_(other.ended_) {
    task_group one;
    one.spawn([&] { other.first = 0; });
    one.sync();
  }
  ~busy_value() {
    task_group one;
    one.spawn([this] { ended_->fetch_add(1); });
    one.sync();
  }
  int first = 3;
  int second = 4;

 private:
  std::atomic<int>* ended_;
};

TEST(task_group, runs_closures_whose_copies_moves_and_ends_use_groups) {
  for (const unsigned workers : {1U, 4U}) {
    nearfork::runtime own(with_workers(workers));
    std::atomic<int> sum{0}, ended{0};
    own.run([&] {
      const busy_value made(ended);
      const auto add = [made, &sum] { sum.fetch_add(made.first * made.second); };
      task_group all;
      for (int i = 0; i < 100; ++i) all.spawn(add);
      for (int i = 0; i < 100; ++i) all.spawn([moved = busy_value(ended), &sum] { sum.fetch_add(moved.second); });
      all.sync();
    });
    EXPECT_EQ(sum.load(), 100 * 12 + 100 * 4) << workers;
    EXPECT_GE(ended.load(), 202) << workers;
  }
}

/// Spawns into the group that it is spawned into.
struct spawning_copy {
  explicit spawning_copy(task_group& into, std::atomic<int>& ran) : group(&into), ran_(&ran) {}
  spawning_copy(const spawning_copy& other) : group(other.group), ran_(other.ran_) {
    group->spawn([ran = ran_] { ran->fetch_add(1); });
  }
  spawning_copy(spawning_copy&&) noexcept = default;
  void operator()() const { ran_->fetch_add(1000); }

 private:
  task_group* group;
  std::atomic<int>* ran_;
};

TEST(task_group, takes_spawns_from_the_copy_of_a_closure) {
  for (const unsigned workers : {1U, 4U}) {
    nearfork::runtime own(with_workers(workers));
    std::atomic<int> ran{0};
    own.run([&] {
      task_group all;
      const spawning_copy task(all, ran);
      for (int i = 0; i < 100; ++i) all.spawn(task);
      all.sync();
    });
    EXPECT_EQ(ran.load(), 100 * 1001) << workers;
  }
}

TEST(task_group, works_from_outside_any_runtime) {
  std::atomic<int> ran{0};
  task_group group;
  for (int i = 0; i < 100; ++i) group.spawn([&] { ran.fetch_add(1); });
  group.sync();
  EXPECT_EQ(ran.load(), 100);
}

TEST(task_group, takes_spawns_from_outside_threads) {
  std::atomic<int> ran{0};
  nearfork::run([&] {
    task_group group;
    std::thread outsider([&] {
      for (int i = 0; i < 100; ++i) group.spawn([&] { ran.fetch_add(1); });
    });
    group.spawn([&] { ran.fetch_add(1); });
    outsider.join();
    group.sync();
    EXPECT_EQ(ran.load(), 101);
  });
}

/// The thread sanitizer looks on here: an outside thread must not read which worker has the frame.
TEST(task_group, takes_spawns_while_its_frame_changes_workers) {
  nearfork::runtime own(with_workers(4));
  std::atomic<int> ran{0};
  int spawned = 0;
  own.run([&] {
    task_group group;
    std::atomic<bool> over{false};
    std::thread outsider([&] {
      while (!over) {
        if (spawned - ran > 100) std::this_thread::yield();
        else group.spawn([&] { ran.fetch_add(1); }), ++spawned;
      }
    });
    for (int round = 0; round < 2000; ++round) {
      std::atomic<int> met{0};
      const auto meet = [&] {
        for (met.fetch_add(1); met < 2;) std::this_thread::yield();
      };
      nearfork::fork_join(meet, meet);
    }
    over = true;
    outsider.join();
    group.sync();
  });
  EXPECT_EQ(ran.load(), spawned);
}

// The tasks lie in a pool, since a child of the fork spawned them, and the frame catches what the fork throws. So
// nothing around the tasks is cancelled, although they may start while the fork is being given up.
TEST(task_group, keeps_its_tasks_when_a_fork_inside_its_frame_fails) {
  constexpr int tasks = 64;
  nearfork::runtime four(with_workers(4));
  for (int round = 0; round < 10; ++round) {
    std::atomic<int> ran{0};
    four.run([&] {
      task_group group;
      std::atomic<bool> is_stolen{false}, has_spawned{false};
      const auto spawner = [&] {
        while (!is_stolen) std::this_thread::yield();
        for (int i = 0; i < tasks; ++i) group.spawn([&] { ++ran; });
        has_spawned = true;
        throw std::runtime_error("the fork fails");
      };
      const auto stolen = [&] {
        is_stolen = true;
        while (!has_spawned) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(3));  // the fork waits for this child
      };
      EXPECT_THROW(nearfork::fork_join(spawner, stolen), std::runtime_error);
      group.sync();
    });
    ASSERT_EQ(ran.load(), tasks) << "round " << round;
  }
}

TEST(task_group, waits_in_its_destructor) {
  std::atomic<int> ran{0};
  nearfork::run([&] {
    {
      task_group group;
      for (int i = 0; i < 100; ++i) group.spawn([&] { ran.fetch_add(1); });
    }
    EXPECT_EQ(ran.load(), 100);
  });
}

TEST_P(task_group_with, runs_in_its_destructor_what_no_sync_has_run) {
  for (int count : {1, 2, 3}) {
    std::atomic<int> ran{0};
    runtime_.run([&] {
      task_group group;
      for (int i = 0; i < count; ++i)
        group.spawn([&] {
          task_group inner;
          inner.spawn([&] { ran.fetch_add(1); });
        });
    });
    EXPECT_EQ(ran.load(), count);
  }
}

TEST(task_group, drops_its_tasks_when_an_exception_destroys_it) {
  nearfork::runtime alone(nearfork::test::with_workers(1));
  for (int count : {1, 2, 3}) {
    int ran = 0;
    EXPECT_THROW(alone.run([&] {
      task_group group;
      for (int i = 0; i < count; ++i) group.spawn([&] { ++ran; });
      throw std::runtime_error("given up");
    }),
                 std::runtime_error);
    EXPECT_EQ(ran, 0);
    alone.run([&] {
      task_group group;
      group.spawn([&] { ++ran; });
      group.spawn([&] { ++ran; });
      group.sync();
    });
    EXPECT_EQ(ran, 2) << "after a group that was given up";
  }
}

TEST_P(task_group_with, runs_several_tasks_that_spawn_more_and_throw) {
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> ran{0};
    runtime_.run([&] {
      task_group group;
      for (int i = 0; i < 3; ++i)
        group.spawn([&] {
          ran.fetch_add(1);
          group.spawn([&] { ran.fetch_add(1); });
        });
      group.sync();
      EXPECT_EQ(ran.load(), 6);
      group.spawn([&] { ran.fetch_add(1); });
      group.spawn([] { throw std::runtime_error("one of two"); });
      EXPECT_THROW(group.sync(), std::runtime_error);
      group.spawn([&] { ran.fetch_add(10); });
      group.spawn([&] { ran.fetch_add(10); });
      group.sync();
    });
    EXPECT_GE(ran.load(), 26);
    EXPECT_LE(ran.load(), 27);
  }
}

}  // namespace

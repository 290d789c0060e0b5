// Tasks that tasks spawn into a group of another frame: each runs exactly once, whatever their spawners do meanwhile.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/contract/groups/run_counts.hpp"
#include "tests/runtime_settings.hpp"

namespace {

using nearfork::task_group;
using nearfork::test::with_workers;

/// The numbers of a heap's nodes, from 1 on, and how often each was visited.
class visits {
 public:
  explicit visits(std::size_t nodes) : of_node_(nodes) {}
  [[nodiscard]] std::size_t nodes() const { return of_node_.tasks(); }
  void count(std::size_t node) { of_node_.count(node - 1); }
  [[nodiscard]] bool one_each() const { return of_node_.one_each(); }

 private:
  nearfork::test::run_counts of_node_;
};

/// Calls then(child) for the children of a node of the heap.
template <class Then>
void for_children(const visits& seen, std::size_t node, const Then& then) {
  for (std::size_t child = 2 * node; child <= 2 * node + 1 && child <= seen.nodes(); ++child) then(child);
}

void visit(visits& seen, std::size_t node, task_group& all) {
  seen.count(node);
  for_children(seen, node, [&](std::size_t child) { all.spawn([&seen, &all, child] { visit(seen, child, all); }); });
}

/// Until a task of `all` has run that this spawns while it waits. `besides` is called before it waits, too.
template <class Besides>
void wait_for_own_task(task_group& all, const Besides& besides) {
  std::optional<nearfork::resumer> wakes;
  nearfork::suspend([&](nearfork::resumer how) {
    wakes.emplace(std::move(how));
    all.spawn([&] { std::exchange(wakes, std::nullopt)->resume(); });
    besides();
  });
}

class loose_tasks : public testing::TestWithParam<unsigned> {
 protected:
  nearfork::runtime runtime_{with_workers(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(workers, loose_tasks, testing::Values(1U, 2U, 5U));

TEST_P(loose_tasks, of_a_tree_run_once) {
  for (int round = 0; round < 20; ++round) {
    visits seen(3000);
    if (round % 2 == 0) {
      task_group all(runtime_);
      all.spawn([&] { visit(seen, 1, all); });
      all.sync();
    } else {
      runtime_.run([&] {
        task_group all;
        nearfork::fork_join([&] { visit(seen, 1, all); }, [] {});
        all.sync();
      });
    }
    ASSERT_TRUE(seen.one_each());
  }
}

TEST_P(loose_tasks, may_be_more_than_a_deque_holds) {
  visits seen(30'000);
  task_group all(runtime_);
  all.spawn([&] {
    for (std::size_t node = 1; node <= seen.nodes(); ++node) all.spawn([&seen, node] { seen.count(node); });
  });
  all.sync();
  EXPECT_TRUE(seen.one_each());
}

/// A spawner that forks, loops and has groups of its own between its spawns.
void work_between_spawns(visits& seen, std::size_t node, task_group& all) {
  seen.count(node);
  std::atomic<int> own{0};
  task_group inner;
  for_children(seen, node, [&](std::size_t child) {
    inner.spawn([&own] { own.fetch_add(1); });
    all.spawn([&seen, &all, child] { work_between_spawns(seen, child, all); });
    inner.spawn([&own] { own.fetch_add(1); });
    nearfork::fork_join([&own] { own.fetch_add(1); }, [&own] { own.fetch_add(1); });
    if (child % 2 == 0) inner.sync();
  });
  nearfork::parallel_for(0, 5, [&own](int) { own.fetch_add(1); });
  inner.sync();
  int spawned = 0;
  for_children(seen, node, [&](std::size_t) { ++spawned; });
  EXPECT_EQ(own, 5 + 4 * spawned);
}

TEST_P(loose_tasks, lie_below_the_jobs_of_their_spawners_frames) {
  for (int round = 0; round < 20; ++round) {
    visits seen(500);
    task_group all(runtime_);
    all.spawn([&] { work_between_spawns(seen, 1, all); });
    all.sync();
    ASSERT_TRUE(seen.one_each());
  }
}

TEST_P(loose_tasks, run_while_their_spawner_is_suspended) {
  for (int round = 0; round < 50; ++round) {
    bool resumed = false;
    task_group all(runtime_);
    all.spawn([&] {
      wait_for_own_task(all, [&] { all.spawn([] {}); });
      resumed = true;
    });
    all.sync();
    ASSERT_TRUE(resumed);
  }
}

TEST_P(loose_tasks, of_a_call_that_returns_before_they_run) {
  for (int round = 0; round < 50; ++round) {
    visits seen(200);
    task_group all(runtime_);
    runtime_.run([&] { visit(seen, 1, all); });
    all.sync();
    ASSERT_TRUE(seen.one_each());
  }
}

TEST_P(loose_tasks, are_skipped_once_their_group_is_cancelled) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> ran{0};
    task_group all(runtime_);
    all.spawn([&] {
      for (int i = 0; i < 100; ++i) all.spawn([&] { ran.fetch_add(1); });
      throw std::runtime_error("this task fails");
    });
    EXPECT_THROW(all.sync(), std::runtime_error);
    EXPECT_LE(ran, 100);
    all.spawn([&] { ran = 1000; });
    all.sync();
    EXPECT_EQ(ran, 1000);
  }
}

TEST_P(loose_tasks, that_wait_for_each_other_end) {
  std::atomic<int> met{0};
  task_group all(runtime_);
  all.spawn([&] {
    for (int i = 0; i < 20; ++i)
      all.spawn([&] {
        std::atomic<bool> done{false};
        task_group other(runtime_);
        other.spawn([&] { done = true; });
        other.sync();
        if (done) met.fetch_add(1);
      });
  });
  all.sync();
  EXPECT_EQ(met, 20);
}

TEST(loose_tasks, of_several_groups_and_runtimes_at_once) {
  nearfork::runtime one(with_workers(2)), other(with_workers(2));
  for (int round = 0; round < 20; ++round) {
    visits here(400), there(400);
    task_group first(one), second(other);
    const auto both = [&](auto&& self, std::size_t node) -> void {
      here.count(node);
      second.spawn([&there, node] { there.count(node); });
      for_children(here, node, [&](std::size_t child) { first.spawn([self, child] { self(self, child); }); });
    };
    first.spawn([&] { both(both, 1); });
    first.sync();
    second.sync();
    ASSERT_TRUE(here.one_each());
    ASSERT_TRUE(there.one_each());
  }
}

/// What a worker has not told a group yet, it tells before it runs a task of another one.
TEST_P(loose_tasks, of_another_group_keep_no_group_waiting) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> is_over{false};
    task_group first(runtime_), second(runtime_);
    first.spawn([&] {
      second.spawn([&] {
        while (!is_over) std::this_thread::yield();
      });
      for (int i = 0; i < 3; ++i) first.spawn([] {});
    });
    first.sync();
    is_over = true;
    second.sync();
  }
}

TEST_P(loose_tasks, that_wait_with_some_of_their_own_below_them_are_waited_for) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> ran{0};
    task_group all(runtime_);
    const auto spawn_ten = [&] {
      for (int i = 0; i < 10; ++i) all.spawn([&] { ran.fetch_add(1); });
    };
    all.spawn([&] {
      spawn_ten();
      all.spawn([&] {
        spawn_ten();
        wait_for_own_task(all, [] {});
        spawn_ten();
      });
    });
    all.sync();
    ASSERT_EQ(ran, 30);
  }
}

/// Both workers have tasks of the group that the group's count does not know of.
TEST(loose_tasks, of_many_short_groups_are_all_done_at_sync) {
  nearfork::runtime two(with_workers(2));
  for (int round = 0; round < 3000; ++round) {
    visits seen(60);
    task_group all(two);
    all.spawn([&] { visit(seen, 1, all); });
    all.sync();
    ASSERT_TRUE(seen.one_each());
  }
}

// A busy spawner answers no request: thieves share its loose tasks by force.
TEST(loose_tasks, of_a_busy_spawner_are_stolen) {
  nearfork::runtime two(with_workers(2));
  std::atomic<bool> ran{false};
  task_group all(two);
  all.spawn([&] {
    all.spawn([&] { ran = true; });
    while (!ran) std::this_thread::yield();
  });
  all.sync();
  EXPECT_TRUE(ran);
}

/// A thief takes several short tasks at a time. Others get at those that lie below one that waits.
TEST_P(loose_tasks, that_a_thief_has_taken_along_can_be_taken_from_it) {
  const unsigned workers = GetParam();
  runtime_.run([&] {
    for (int round = 0; round < 10; ++round) {
      nearfork::test::run_counts runs(20'000);
      task_group group;
      for (std::size_t i = 0; i < runs.tasks(); ++i) group.spawn([&runs, i] { runs.count(i); });
      group.sync();
      EXPECT_TRUE(runs.one_each());
      std::atomic<unsigned> met{0};
      for (unsigned i = 0; i < 64; ++i)
        group.spawn([&met, i, workers] {
          if (i >= workers) return;
          met.fetch_add(1);
          while (met.load() < workers) std::this_thread::yield();
        });
      group.sync();
      EXPECT_EQ(met.load(), workers);
    }
  });
}

}  // namespace

// Tasks that catch what was thrown, and destructors that an exception runs: what follows is a program as any other.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using namespace std::chrono_literals;
using nearfork::test::with_workers;

/// One child is told to stop, because the other one throws; the caller gets what that one threw.
void stop_a_child_by_the_other() {
  EXPECT_THROW(nearfork::fork_join(
                   [] {
                     for (;;) nearfork::fork_join([] {}, [] {});
                   },
                   [] {
                     std::this_thread::sleep_for(200us);
                     throw std::runtime_error("told to");
                   }),
               std::runtime_error);
}

void stop_two_children_by_the_third() {
  const auto endless = [] {
    for (;;) nearfork::fork_join([] {}, [] {});
  };
  EXPECT_THROW(nearfork::fork_join(
                   endless,
                   [] {
                     std::this_thread::sleep_for(200us);
                     throw std::runtime_error("told to");
                   },
                   endless),
               std::runtime_error);
}

/// The task is not unwound any more, so it is told to stop as others are.
TEST(unwinding, is_over_for_a_task_that_has_caught_what_a_child_threw) {
  nearfork::runtime runtime(with_workers(3));
  for (const auto stop_some : {&stop_a_child_by_the_other, &stop_two_children_by_the_third})
    for (int round = 0; round < 20; ++round) {
      nearfork::cancellation_source source;
      bool was_told = false;
      const auto body = [&](int) {
        stop_some();
        source.cancel();
        try {
          nearfork::fork_join([] {}, [] {});
        } catch (const nearfork::cancelled&) {
          was_told = true;
          throw;
        }
      };
      runtime.run([&] {
        EXPECT_THROW(nearfork::fork_join(
                         [&] {
                           nearfork::parallel_for(0, 1, body, {.cancel = source.token()});
                           throw std::runtime_error("the loop is over");
                         },
                         [] {}),
                     std::runtime_error);
      });
      EXPECT_TRUE(was_told);
    }
}

void be_busy(std::chrono::microseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {
  }
}

/// What runs a loop in its destructor.
class loop_at_the_end {
 public:
  explicit loop_at_the_end(std::atomic<int>& bodies) : bodies_(bodies) {}
  ~loop_at_the_end() {
    nearfork::parallel_for(0, 200, [this](int) {
      be_busy(10us);
      bodies_.fetch_add(1);
    });
  }
  loop_at_the_end(const loop_at_the_end&) = delete;
  loop_at_the_end& operator=(const loop_at_the_end&) = delete;

 private:
  std::atomic<int>& bodies_;
};

/// The fork around the loop is given up before, or meanwhile, because its other child throws, too.
TEST(unwinding, loops_in_destructors_call_all_bodies_also_if_the_fork_around_them_is_given_up) {
  nearfork::runtime runtime(with_workers(4));
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> bodies{0};
    const auto fork = [&] {
      nearfork::fork_join(
          [&] {
            be_busy(300us);
            const loop_at_the_end last(bodies);
            throw std::runtime_error("first");
          },
          [&] {
            be_busy(10us * round);
            throw std::logic_error("second");
          });
    };
    runtime.run([&] { EXPECT_THROW(fork(), std::exception); });
    ASSERT_EQ(bodies.load(), 200) << "in round " << round;
  }
}

/// Whatever ran before: an earlier loop, for example, leaves forks quick.
TEST(unwinding, a_loop_whose_token_was_cancelled_before_calls_no_body) {
  for (const unsigned workers : {1U, 2U}) {
    nearfork::runtime runtime(with_workers(workers));
    nearfork::cancellation_source source;
    source.cancel();
    runtime.run([&] {
      for (const int count : {1, 2, 10, 100, 10'000}) {
        nearfork::parallel_for(0, count, [](int) {});
        std::atomic<int> bodies{0};
        nearfork::parallel_for(0, count, [&](int) { bodies.fetch_add(1); }, {.cancel = source.token()});
        EXPECT_EQ(bodies.load(), 0) << count;
      }
    });
  }
}

void forks_of(int depth, std::atomic<int>& leaves) {
  if (depth == 0) {
    be_busy(20us);
    leaves.fetch_add(1);
    return;
  }
  const auto half = [=, &leaves] { forks_of(depth - 1, leaves); };
  nearfork::fork_join(half, half);
}
void groups_of(int depth, std::atomic<int>& leaves) {
  if (depth == 0) return forks_of(0, leaves);
  nearfork::task_group group;
  for (int i = 0; i < 2; ++i) group.spawn([=, &leaves] { groups_of(depth - 1, leaves); });
  group.sync();
}
void spawn_all(int depth, std::atomic<int>& leaves, nearfork::task_group& all) {
  if (depth == 0) return forks_of(0, leaves);
  for (int i = 0; i < 2; ++i) all.spawn([=, &leaves, &all] { spawn_all(depth - 1, leaves, all); });
}
void one_group_of(int depth, std::atomic<int>& leaves) {
  nearfork::task_group all;
  all.spawn([&] { spawn_all(depth, leaves, all); });
  all.sync();
}

/// Its destructor runs a tree of eight leaves.
struct ends_with_a_tree {
  void (*tree)(int, std::atomic<int>&);
  std::atomic<int>& leaves;
  std::atomic<int>& ends;
  ~ends_with_a_tree() {
    tree(3, leaves);
    ends.fetch_add(1);
  }
};

/// Several bodies throw, so the loop around the destructors is cancelled while their exceptions are in flight.
TEST(unwinding, leaves_no_task_of_a_destructor_out) {
  nearfork::runtime runtime(with_workers(4));
  for (const auto tree : {&forks_of, &groups_of, &one_group_of})
    for (int round = 0; round < 100; ++round) {
      std::atomic<int> leaves{0};
      std::atomic<int> ends{0};
      const auto body = [&](int i) {
        const ends_with_a_tree last{tree, leaves, ends};
        be_busy(10us + 7us * i);
        throw std::runtime_error("told to");
      };
      runtime.run([&] { EXPECT_THROW(nearfork::parallel_for(0, 8, body, {.grain = 1}), std::runtime_error); });
      ASSERT_EQ(leaves.load(), 8 * ends.load()) << "in round " << round;
    }
}

/// A handler of the program ends the exception, not the cancellation.
TEST(unwinding, leaves_a_task_cancelled_that_has_caught_what_told_it) {
  for (const unsigned workers : {1U, 3U}) {
    nearfork::runtime runtime(with_workers(workers));
    std::atomic<int> bodies{0};
    int told = 0;
    runtime.run([&] {
      nearfork::task_group group;
      group.spawn([&] {
        group.cancel();
        for (int i = 0; i < 3; ++i) {
          try {
            if (i == 1) nearfork::fork_join([&] { ++bodies; }, [&] { ++bodies; });
            else nearfork::parallel_for(0, 1000, [&](int) { ++bodies; });
          } catch (const nearfork::cancelled&) {
            ++told;
          }
        }
      });
      group.sync();
    });
    EXPECT_EQ(told, 3);
    EXPECT_EQ(bodies.load(), 0);
  }
}

int tasks_of_a_graph() {
  nearfork::dataflow graph;
  int ran = 0;
  for (int i = 0; i < 10; ++i) graph.task({nearfork::inout(ran)}, [&] { ++ran; });
  graph.wait();
  return ran;
}

/// Its destructor runs a graph.
struct ends_with_a_graph {
  std::atomic<int>& lost;
  ~ends_with_a_graph() {
    if (tasks_of_a_graph() != 10) lost.fetch_add(1);
  }
};

/// What is cancelled around the destructor does not reach the graph's tasks, on whatever worker they run.
TEST(unwinding, leaves_no_task_of_a_graph_out) {
  nearfork::runtime runtime(with_workers(4));
  std::atomic<int> lost{0};
  for (int round = 0; round < 50; ++round)
    runtime.run([&] {
      const auto body = [&](int i) {
        const ends_with_a_graph last{lost};
        if (i == 0) throw std::runtime_error("told to");
        for (;;) nearfork::fork_join([] {}, [] {});
      };
      EXPECT_THROW(nearfork::parallel_for(0, 4, body, {.grain = 1}), std::runtime_error);
    });
  EXPECT_EQ(lost.load(), 0);
}

}  // namespace

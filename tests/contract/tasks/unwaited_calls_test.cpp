// Groups and graphs that a thread outside workers makes: their tasks run before anybody waits for them.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <ostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <nearfork/dataflow.hpp>
#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using namespace std::chrono_literals;
using nearfork::test::with_workers;

/// Meanwhile nobody waits for the tasks.
void do_something_else() {
  thread_local int calls = 0;
  if (++calls % 3 == 0) std::this_thread::sleep_for(30us);
}

/// How a thread outside gives its runtime some tasks, each of which calls `f`, and waits for them.
struct kind_of_call {
  std::string name;
  void (*call)(nearfork::runtime& own, int tasks, const std::function<void()>& f);
  friend std::ostream& operator<<(std::ostream& out, const kind_of_call& its) { return out << its.name; }
};

const kind_of_call in_group{"group", [](nearfork::runtime& own, int tasks, const std::function<void()>& f) {
                              nearfork::task_group group(own);
                              for (int i = 0; i < tasks; ++i) group.spawn(f);
                              do_something_else();
                              group.sync();
                            }};
const kind_of_call in_graph{"graph", [](nearfork::runtime& own, int tasks, const std::function<void()>& f) {
                              nearfork::dataflow graph(own);
                              for (int i = 0; i < tasks; ++i) graph.task({}, f);
                              do_something_else();
                              graph.wait();
                            }};
const kind_of_call in_loop{"loop", [](nearfork::runtime& own, int tasks, const std::function<void()>& f) {
                             own.run([&] { nearfork::parallel_for(0, tasks, [&](int) { f(); }); });
                           }};

class unwaited_calls : public testing::TestWithParam<std::tuple<kind_of_call, kind_of_call>> {};
INSTANTIATE_TEST_SUITE_P(of, unwaited_calls,
                         testing::Combine(testing::Values(in_group, in_graph, in_loop),
                                          testing::Values(in_group, in_graph)));

/// The thread that holds the lock waits for its own tasks alone, and takes part in no others. At most two workers of
/// five wait for the lock.
TEST_P(unwaited_calls, may_need_a_lock_that_another_thread_holds_while_it_waits) {
  const auto& [holder, needer] = GetParam();
  nearfork::runtime own(with_workers(5));
  std::mutex shared;
  std::atomic<int> ran{0}, ran_locked{0};
  constexpr int rounds = 500;
  std::thread other([&] {
    for (int i = 0; i < rounds; ++i) {
      needer.call(own, 2, [&] {
        const std::lock_guard lock(shared);
        ++ran_locked;
      });
    }
  });
  for (int i = 0; i < rounds; ++i) {
    const std::lock_guard lock(shared);
    holder.call(own, 2, [&] { ++ran; });
  }
  other.join();
  EXPECT_EQ(ran.load(), 2 * rounds);
  EXPECT_EQ(ran_locked.load(), 2 * rounds);
}

TEST(task_group_outside, is_waited_for_while_other_threads_spawn) {
  for (const unsigned workers : {1U, 3U}) {
    nearfork::runtime own(with_workers(workers));
    nearfork::task_group group(own);
    std::atomic<int> ran{0};
    std::atomic<bool> over{false};
    constexpr int tasks = 3000;
    std::vector<std::thread> others;
    for (int other = 0; other < 2; ++other)
      others.emplace_back([&] {
        for (int i = 0; i < tasks; ++i) {
          group.spawn([&] { ++ran; });
          if (i % 8 == 0) std::this_thread::yield();
        }
      });
    std::thread join([&] {
      for (std::thread& each : others) each.join();
      over = true;
    });
    while (!over) {
      group.spawn([] {});
      group.sync();
    }
    join.join();
    group.sync();
    EXPECT_EQ(ran.load(), 2 * tasks);
  }
}

/// Tasks that are over are no call any more, whether or not somebody waits for them.
TEST(task_group_outside, lets_other_calls_begin_on_their_threads_once_its_tasks_are_over) {
  nearfork::runtime own(with_workers(2));
  std::atomic<int> ran{0};
  nearfork::task_group group(own);
  for (int i = 0; i < 10; ++i) group.spawn([&] { ++ran; });
  while (ran != 10) std::this_thread::yield();
  bool helped = false;
  for (int i = 0; i < 20'000 && !helped; ++i) {
    helped = own.run([] { return std::this_thread::get_id(); }) == std::this_thread::get_id();
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_TRUE(helped);
  group.sync();
}

TEST(task_group_outside, that_failed_elsewhere_throws_at_sync_and_may_be_used_again) {
  nearfork::runtime own(with_workers(2));
  nearfork::task_group group(own);
  for (int i = 0; i < 100; ++i) {
    group.spawn([] { throw std::runtime_error("lost"); });
    if (i % 2 == 0) std::this_thread::sleep_for(50us);  // the task is over before anybody waits
    EXPECT_THROW(group.sync(), std::runtime_error);
    std::atomic<int> ran{0};
    group.spawn([&] { ++ran; });
    group.sync();
    EXPECT_EQ(ran.load(), 1);
  }
}

}  // namespace

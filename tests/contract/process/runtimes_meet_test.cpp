// Groups belong to their runtime, whichever thread spawns. Calls between runtimes suspend. Locks may be held across
// joins.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <thread>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::fork_join;
using nearfork::task_group;
using nearfork::test::with_workers;
using namespace std::chrono_literals;

TEST(runtimes_meet, in_a_group_that_threads_outside_spawn_into) {
  nearfork::runtime runtime(with_workers(2));
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> inside{0};
    runtime.run([&] {
      task_group group;
      std::thread outsider([&] {
        for (int i = 0; i < 50; ++i)
          group.spawn([&] {
            std::this_thread::sleep_for(10us);
            if (runtime.run([] { return nearfork::this_worker::inside(); })) ++inside;
          });
      });
      outsider.join();
      group.sync();
    });
    ASSERT_EQ(inside, 50);
  }
}

TEST(runtimes_meet, in_a_group_that_workers_of_another_spawn_into) {
  nearfork::runtime one(with_workers(1)), other(with_workers(2));
  std::atomic<int> ran{0};
  for (int round = 0; round < 50; ++round)
    one.run([&] {
      task_group group;
      other.run([&] { nearfork::parallel_for(0, 20, [&](int) { group.spawn([&] { ++ran; }); }); });
      group.sync();
    });
  EXPECT_EQ(ran, 1000);
}

TEST(runtimes_meet, in_calls_back_and_forth_with_one_worker_each) {
  nearfork::runtime a(with_workers(1)), b(with_workers(1));
  EXPECT_EQ(a.run([&] { return b.run([&] { return a.run([&] { return b.run([] { return 7; }); }); }); }), 7);
  EXPECT_THROW(a.run([&] { b.run([&] { a.run([] { throw std::runtime_error("deep"); }); }); }), std::runtime_error);
  std::atomic<int> sum{0};
  a.run([&] {
    nearfork::parallel_for(1, 101, [&](int i) { sum += b.run([&] { return a.run([i] { return i; }); }); },
                           {.grain = 1});
  });
  EXPECT_EQ(sum, 5050);
}

class pinned_waits : public testing::Test {
 protected:
  static nearfork::config settings() {
    nearfork::config made = with_workers(4);
    made.pin_waits = true;
    return made;
  }
  nearfork::runtime runtime_{settings()};
};

thread_local int own = 0;

/// Both children take some time, so that the join waits.
void join_that_waits() {
  fork_join([] { std::this_thread::sleep_for(50us); }, [] { std::this_thread::sleep_for(150us); });
}

TEST_F(pinned_waits, let_a_task_hold_locks_that_know_their_owner_across_joins) {
  std::recursive_mutex recursive;
  std::shared_mutex shared;
  int in_recursive = 0, in_shared = 0;
  std::atomic<int> mixed{0};
  runtime_.run([&] {
    nearfork::parallel_for(0, 100,
                           [&](int) {
                             {
                               const std::lock_guard lock(recursive);
                               const int before = ++in_recursive;
                               join_that_waits();
                               mixed += before != in_recursive;
                             }
                             const std::unique_lock lock(shared);
                             const int before = ++in_shared;
                             join_that_waits();
                             mixed += before != in_shared;
                           },
                           {.grain = 1});
  });
  EXPECT_EQ(in_recursive, 100);
  EXPECT_EQ(in_shared, 100);
  EXPECT_EQ(mixed, 0) << "nobody else was inside meanwhile";
}

TEST_F(pinned_waits, keep_each_task_on_its_thread) {
  std::atomic<int> moved{0};
  // On a busy machine one worker may do all of a short run by itself.
  for (int tries = 0; tries < 200 && runtime_.report().suspensions == 0; ++tries)
    runtime_.run([&] {
      nearfork::parallel_for(0, 100,
                             [&](int) {
                               const auto thread = std::this_thread::get_id();
                               const int* const address = &own;
                               join_that_waits();
                               if (thread != std::this_thread::get_id() || address != &own) ++moved;
                             },
                             {.grain = 1});
    });
  EXPECT_EQ(moved, 0);
  EXPECT_GT(runtime_.report().suspensions, 0U) << "else nothing was tried";
}

TEST_F(pinned_waits, pass_exceptions_groups_and_regions_through) {
  EXPECT_THROW(runtime_.run([] {
    nearfork::parallel_for(0, 100, [](int i) {
      if (i == 50) throw 3;
    });
  }),
               int);
  std::atomic<int> ran{0};
  runtime_.run([&] {
    for (int round = 0; round < 5; ++round)
      nearfork::region("pinned", [&] {
        task_group group;
        for (int i = 0; i < 50; ++i)
          group.spawn([&] {
            join_that_waits();
            ++ran;
          });
        group.sync();
      });
  });
  EXPECT_EQ(ran, 250);
}

}  // namespace

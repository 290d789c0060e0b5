// Real threads that count, and a watcher that looks at them. The handshake with publishers: model/parking_test.cpp.
#include "runtime/wakes/spawning_threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "base/process_number.hpp"
#include "base/threads/thread_activity.hpp"
#include "runtime/protocols/parking.hpp"

namespace {

using nearfork::parking_lot;
using nearfork::spawning_threads;

/// Two workers, of which one sleeps.
class spawning_threads_test : public ::testing::Test {
 protected:
  spawning_threads_test() { (void)lot.get_sleepy(0, parking_lot::from::active); }
  [[nodiscard]] bool sleeps_on() const { return spawners.sleepers().holds(lot); }
  /// Until the thread may count.
  void become_known() {
    while (!spawners.join()) (void)spawners.leave();
  }

  parking_lot lot{2, 1};
  spawning_threads spawners;
};

TEST_F(spawning_threads_test, count_once_they_rely_on_the_watcher) {
  become_known();
  EXPECT_FALSE(sleeps_on());
  spawners.rely_on_watcher();
  EXPECT_TRUE(sleeps_on());
  const auto was = spawners.leave();
  EXPECT_TRUE(was.relied && was.counted);
  EXPECT_FALSE(sleeps_on());
}

TEST_F(spawning_threads_test, count_once_for_all_their_lanes) {
  become_known();
  spawners.rely_on_watcher();
  EXPECT_FALSE(spawners.join()) << "it relies on the watcher already";
  const auto inner = spawners.leave();
  EXPECT_FALSE(inner.relied || inner.counted);
  EXPECT_TRUE(sleeps_on());
  EXPECT_TRUE(spawners.leave().counted);
  EXPECT_FALSE(sleeps_on());
}

TEST_F(spawning_threads_test, pause_and_resume) {
  become_known();
  spawners.rely_on_watcher();
  EXPECT_TRUE(spawners.pause());
  EXPECT_FALSE(sleeps_on());
  EXPECT_FALSE(spawners.pause());
  spawners.resume();
  spawners.resume();
  EXPECT_TRUE(sleeps_on());
  EXPECT_TRUE(spawners.stop().relied);
  spawners.resume();
  EXPECT_FALSE(sleeps_on()) << "it has stopped";
  EXPECT_FALSE(spawners.leave().relied);
}

TEST_F(spawning_threads_test, leave_one_worker_awake) {
  (void)lot.get_sleepy(1, parking_lot::from::active);
  become_known();
  spawners.rely_on_watcher();
  EXPECT_FALSE(sleeps_on()) << "all sleep";
  (void)spawners.leave();
}

TEST_F(spawning_threads_test, count_in_one_crew_at_a_time) {
  spawning_threads others;
  become_known();
  spawners.rely_on_watcher();
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(others.join());
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(others.leave().relied);
  EXPECT_FALSE(others.pause());
  EXPECT_TRUE(spawners.leave().counted);
}

TEST_F(spawning_threads_test, are_counted_out_while_they_sleep) {
  std::atomic<int> step{0};
  std::atomic<int> number{0};
  const std::jthread other([&] {
    become_known();
    spawners.rely_on_watcher();
    number = nearfork::thread_number();
    step = 1;
    step.notify_one();
    step.wait(1);
    EXPECT_FALSE(spawners.pause());
    spawners.resume();
    EXPECT_FALSE(sleeps_on()) << "it may sleep again";
    EXPECT_FALSE(spawners.leave().counted);
    for (int lane = 0; lane < 100; ++lane) {
      (void)spawners.join();
      spawners.rely_on_watcher();
      (void)spawners.leave();
    }
    (void)spawners.join();
    spawners.rely_on_watcher();
    EXPECT_TRUE(sleeps_on());
    (void)spawners.leave();
  });
  step.wait(0);
  // On a busy machine it may take longer to fall asleep than the looks after which one that runs is counted out.
  while (nearfork::runs_in_system(number)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  while (!spawners.look()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(sleeps_on());
  step = 2;
  step.notify_one();
}

TEST_F(spawning_threads_test, are_counted_out_after_some_looks_without_a_pause) {
  become_known();
  spawners.rely_on_watcher();
  int looks = 1;
  while (!spawners.look()) ++looks;
  EXPECT_LE(looks, 5);
  EXPECT_FALSE(sleeps_on());
  spawners.resume();
  EXPECT_TRUE(sleeps_on());
  EXPECT_TRUE(spawners.leave().counted);
}

TEST_F(spawning_threads_test, share_few_seats) {
  become_known();
  spawners.rely_on_watcher();
  std::atomic<bool> over{false};
  std::vector<std::jthread> many;
  std::atomic<int> counted{0};
  for (int i = 0; i < 40; ++i)
    many.emplace_back([&] {
      (void)spawners.join();
      spawners.rely_on_watcher();
      ++counted;
      counted.notify_one();
      over.wait(false);
      (void)spawners.leave();
    });
  for (int seen = counted; seen != 40; seen = counted) counted.wait(seen);
  EXPECT_TRUE(sleeps_on());
  over = true;
  over.notify_all();
  many.clear();
  EXPECT_TRUE(sleeps_on());
  (void)spawners.leave();
  EXPECT_FALSE(sleeps_on());
}

}  // namespace

// Real threads and their affinity masks. Where the system wakes a thread is not asserted, only where it may.
#include "runtime/wakes/woken_apart.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "base/process_number.hpp"
#include "machine/live/affinity.hpp"
#include "machine/live/mask_words.hpp"
#include "machine/live/pinning.hpp"
#include "memory/system/calling_pu.hpp"
#include "tests/runtime_settings.hpp"

namespace {

using nearfork::apart_sleeper;
using nearfork::woken_apart;
using mask = std::vector<unsigned long>;

mask own_mask() {
  mask made;
  EXPECT_EQ(nearfork::read_affinity(made), 0);
  return made;
}

std::vector<unsigned> pus_of(const mask& of) {
  std::vector<unsigned> pus;
  for (unsigned pu = 0; pu < of.size() * nearfork::bits_per_word; ++pu)
    if ((of[pu / nearfork::bits_per_word] >> pu % nearfork::bits_per_word & 1U) != 0) pus.push_back(pu);
  return pus;
}

nearfork::some_pus some(const std::vector<unsigned>& pus) {
  nearfork::some_pus made;
  for (const unsigned pu : pus) made.add(pu);
  return made;
}

/// Lets the calling thread run where it could before.
class own_mask_kept {
 public:
  ~own_mask_kept() { (void)nearfork::restore_affinity(before); }
  const mask before = own_mask();
};

class woken_threads : public testing::Test {
 protected:
  void SetUp() override {
    if (all_.size() < 2) GTEST_SKIP() << "this process may run on one PU only";
  }
  const own_mask_kept kept_;
  const std::vector<unsigned> all_ = pus_of(kept_.before);
};

TEST_F(woken_threads, are_kept_off_the_pu_of_their_waker_while_they_sleep) {
  woken_apart apart;
  apart.open(2);
  apart.expect_stacking();
  for (const unsigned pu : {all_[0], all_[1], all_[1], all_[0]}) {
    apart_sleeper sleeper;
    std::atomic<int> thread{0};
    std::atomic<bool> awake{false};
    mask in_sleep, after;
    std::thread sleeps([&] {
      apart.starts(sleeper);
      apart.goes_to_sleep(sleeper);
      thread = nearfork::thread_number();
      thread.notify_one();
      awake.wait(false);
      apart.is_up(sleeper);
      after = own_mask();
    });
    thread.wait(0);
    ASSERT_EQ(nearfork::pin_this_thread(nearfork::os_index{pu}), 0);
    apart.before_wake(sleeper);
    in_sleep = kept_.before;
    EXPECT_EQ(nearfork::read_affinity_of(thread, in_sleep), 0);
    awake = true;
    awake.notify_one();
    sleeps.join();
    ASSERT_EQ(nearfork::restore_affinity(kept_.before), 0);
    std::vector<unsigned> others = all_;
    std::erase(others, pu);
    EXPECT_EQ(pus_of(in_sleep), others);
    EXPECT_EQ(pus_of(after), all_);
  }
}

TEST_F(woken_threads, are_left_alone_where_there_are_more_of_them_than_pus) {
  woken_apart apart;
  apart.open(all_.size() + 1);
  apart.expect_stacking();
  apart_sleeper self;
  apart.starts(self);
  apart.goes_to_sleep(self);
  EXPECT_EQ(own_mask(), kept_.before);
  apart.before_wake(self);
  apart.is_up(self);
  EXPECT_EQ(own_mask(), kept_.before);
}

TEST_F(woken_threads, are_left_alone_that_may_run_on_one_pu_only) {
  woken_apart apart;
  apart.open(2);
  apart.expect_stacking();
  ASSERT_EQ(nearfork::pin_this_thread(nearfork::os_index{all_[0]}), 0);
  const mask pinned = own_mask();
  apart_sleeper self;
  apart.starts(self);
  apart.goes_to_sleep(self);
  apart.before_wake(self);
  EXPECT_EQ(own_mask(), pinned);
  apart.is_up(self);
  EXPECT_EQ(own_mask(), pinned);
}

/// Runs on `pu` when this returns, and may be elsewhere later.
void go_to(unsigned pu, const mask& where_it_may) {
  ASSERT_EQ(nearfork::pin_this_thread(nearfork::os_index{pu}), 0);
  ASSERT_EQ(nearfork::restore_affinity(where_it_may), 0);
}

TEST_F(woken_threads, are_not_moved_to_another_pu_to_sleep_there) {
  woken_apart apart;
  apart.open(2);
  apart.expect_stacking();
  const unsigned pu = all_[0];
  for (int tries = 0; tries < 100; ++tries) {
    apart_sleeper self;
    apart.starts(self);
    go_to(pu, kept_.before);
    apart.before_wake(self);
    apart.is_up(self);
    apart.goes_to_sleep(self);
    const bool stayed = nearfork::calling_pu() == nearfork::os_index{pu};
    const mask asleep = own_mask();
    apart.before_wake(self);
    const mask woken = own_mask();
    apart.is_up(self);
    ASSERT_EQ(own_mask(), kept_.before);
    if (!stayed) continue;  // the system has moved it before
    EXPECT_EQ(asleep, kept_.before);
    std::vector<unsigned> others = all_;
    std::erase(others, pu);
    EXPECT_EQ(pus_of(woken), others);
    return;
  }
  GTEST_SKIP() << "the system never left this thread where it was";
}

TEST_F(woken_threads, that_are_awake_are_moved_and_may_run_where_they_could_before) {
  woken_apart apart;
  apart.open(2);
  apart_sleeper sleeper;
  std::atomic<int> thread{0};
  std::atomic<bool> ends{false};
  std::thread runs([&] {
    apart.starts(sleeper);
    go_to(all_[0], kept_.before);
    apart.runs(sleeper);
    thread = nearfork::thread_number();
    thread.notify_one();
    while (!ends) std::this_thread::yield();
  });
  thread.wait(0);
  EXPECT_EQ(std::ranges::count(all_, woken_apart::pu_of(sleeper)), 1);
  for (const unsigned pu : {all_[1], all_[0], all_[0], all_[1]}) {
    EXPECT_TRUE(apart.move_off(sleeper, some({pu})));
    mask now = kept_.before;
    EXPECT_EQ(nearfork::read_affinity_of(thread, now), 0);
    EXPECT_EQ(now, kept_.before);
  }
  EXPECT_FALSE(apart.move_off(sleeper, some(all_)));  // from everywhere
  ends = true;
  runs.join();
}

TEST_F(woken_threads, that_sleep_are_not_moved) {
  woken_apart apart;
  apart.open(2);
  apart.expect_stacking();
  apart_sleeper self;
  EXPECT_EQ(woken_apart::pu_of(self), woken_apart::nowhere);
  apart.starts(self);
  EXPECT_EQ(std::ranges::count(all_, woken_apart::pu_of(self)), 1);
  go_to(all_[0], kept_.before);
  apart.before_wake(self);
  apart.is_up(self);
  go_to(all_[1], kept_.before);
  apart.goes_to_sleep(self);
  const mask asleep = own_mask();
  EXPECT_FALSE(apart.move_off(self, some({all_[1]})));
  EXPECT_EQ(own_mask(), asleep);
  apart.is_up(self);
  EXPECT_EQ(own_mask(), kept_.before);
}

TEST_F(woken_threads, that_may_run_on_one_pu_only_are_not_moved_off_it) {
  woken_apart apart;
  apart.open(2);
  apart_sleeper self;
  apart.starts(self);
  ASSERT_EQ(nearfork::pin_this_thread(nearfork::os_index{all_[0]}), 0);
  const mask pinned = own_mask();
  EXPECT_FALSE(apart.move_off(self, some({all_[0]})));
  EXPECT_EQ(own_mask(), pinned);
}

/// Threads that tasks make inherit the masks of workers.
TEST_F(woken_threads, run_tasks_where_they_could_before) {
  nearfork::config settings = nearfork::test::with_workers(2);
  settings.pin = nearfork::pinning::automatic;
  nearfork::runtime two(settings);
  for (const nearfork::worker_report& one : two.report().workers)
    if (one.os_pu) GTEST_SKIP() << "workers are bound on this machine";
  std::atomic<int> wrong{0};
  for (int round = 0; round < 20; ++round) {
    two.run([&] {
      nearfork::parallel_for(0, 2000, [&](int i) {
        if (i % 100 == 0 && own_mask() != kept_.before) wrong.fetch_add(1);
        const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(1);
        while (std::chrono::steady_clock::now() < until) {
        }
      });
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace

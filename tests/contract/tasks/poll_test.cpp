// suspend(poller, f): somebody asks while a task waits, whatever the workers do, and nobody asks otherwise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/message_of.hpp"
#include "tests/runtime_settings.hpp"

namespace {

using namespace std::chrono_literals;
using nearfork::resumer;
using nearfork::test::message_of;
using nearfork::test::with_workers;

/// Tasks wait for a moment, which only polls notice.
class clock_poller : public nearfork::poller {
 public:
  bool poll() noexcept override {
    ++polls;
    if (polls_now_.exchange(true)) ++collisions;
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    const auto due = std::partition(waiting_.begin(), waiting_.end(), [&](auto& one) { return one.first > now; });
    const bool any = due != waiting_.end();
    for (auto one = due; one != waiting_.end(); ++one) (void)one->second.try_resume();
    waiting_.erase(due, waiting_.end());
    polls_now_ = false;
    return any;
  }
  void sleep_for(std::chrono::microseconds time) {
    nearfork::suspend(*this, [&](resumer done) {
      const std::lock_guard lock(mutex_);
      waiting_.emplace_back(std::chrono::steady_clock::now() + time, std::move(done));
    });
  }

  std::atomic<long> polls{0};
  std::atomic<long> collisions{0};

 private:
  std::atomic<bool> polls_now_{false};
  std::mutex mutex_;
  std::vector<std::pair<std::chrono::steady_clock::time_point, resumer>> waiting_;
};

class polled : public testing::TestWithParam<unsigned> {
 protected:
  clock_poller clock;
};
INSTANTIATE_TEST_SUITE_P(workers, polled, testing::Values(1U, 2U, 4U));

TEST_P(polled, a_task_goes_on_when_a_poll_resumes_it) {
  nearfork::runtime own(with_workers(GetParam()));
  own.run([&] { clock.sleep_for(3ms); });
  EXPECT_GE(clock.polls, 1);
}

TEST_P(polled, a_thousand_tasks_wait_at_once) {
  nearfork::runtime own(with_workers(GetParam()));
  std::vector<int> woken(1000);
  own.run([&] {
    nearfork::task_group all;
    for (std::size_t i = 0; i < woken.size(); ++i)
      all.spawn([&, i] {
        clock.sleep_for(std::chrono::microseconds(1000 + 37 * (i % 50)));
        ++woken[i];
      });
    all.sync();
  });
  EXPECT_EQ(woken, std::vector<int>(1000, 1));
  EXPECT_EQ(clock.collisions, 0);
}

TEST_P(polled, waits_follow_each_other_without_a_pause) {
  nearfork::runtime own(with_workers(GetParam()));
  own.run([&] {
    for (int i = 0; i < 500; ++i) clock.sleep_for(std::chrono::microseconds(i % 100));
  });
}

/// The wait ends during the loop, which leaves no worker free and goes on until it has seen that.
TEST_P(polled, workers_that_compute_do_not_keep_a_task_waiting) {
  nearfork::runtime own(with_workers(GetParam()));
  std::atomic<bool> polled_meanwhile{false};
  own.run([&] {
    nearfork::fork_join([&] { clock.sleep_for(2ms); },
                        [&] {
                          nearfork::parallel_for(0, 8, [&](int) {
                            const long before = clock.polls;
                            const auto end = std::chrono::steady_clock::now() + 10s;
                            while (clock.polls == before && std::chrono::steady_clock::now() < end)
                              if (polled_meanwhile) return;
                            polled_meanwhile = true;
                          });
                        });
  });
  EXPECT_TRUE(polled_meanwhile);
}

TEST_P(polled, calls_from_many_threads_wait_beside_each_other) {
  nearfork::runtime own(with_workers(GetParam()));
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      for (int i = 0; i < 50; ++i) own.run([&] { clock.sleep_for(std::chrono::microseconds(100 * (i % 5))); });
    });
  for (auto& one : callers) one.join();
}

TEST_P(polled, waits_with_a_call_that_leaves_its_place_to_another) {
  nearfork::runtime own(with_workers(GetParam()));
  nearfork::future<void> slow = nearfork::async(own, [&] { clock.sleep_for(20ms); });
  for (int i = 0; i < 100; ++i) own.run([] {});
  slow.get();
}

TEST(polling, nobody_asks_while_no_task_waits) {
  clock_poller clock;
  nearfork::runtime own(with_workers(2));
  own.run([&] { clock.sleep_for(100us); });
  std::this_thread::sleep_for(5ms);
  const long before = clock.polls;
  own.run([] { nearfork::parallel_for(0, 1000, [](int) {}); });
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(clock.polls, before);
}

TEST(polling, an_outside_thread_asks_by_itself) {
  clock_poller clock;
  clock.sleep_for(500us);
  EXPECT_GE(clock.polls, 1);
}

TEST(polling, a_poll_may_fail_a_wait) {
  struct : nearfork::poller {
    // The watch may ask before the task has said how it goes on.
    bool poll() noexcept override {
      return said && failing->try_fail(std::make_exception_ptr(nearfork::error("no answer")));
    }
    std::optional<resumer> failing;
    std::atomic<bool> said{false};
  } broken;
  nearfork::runtime own(with_workers(1));
  const auto wait = [&](resumer done) {
    broken.failing = done;
    broken.said = true;
  };
  EXPECT_EQ(message_of([&] { own.run([&] { nearfork::suspend(broken, wait); }); }), "no answer");
}

TEST(polling, a_ninth_poller_is_refused) {
  std::array<clock_poller, 9> pollers;
  nearfork::runtime own(with_workers(1));
  own.run([&] {
    for (std::size_t i = 0; i < 8; ++i) pollers[i].sleep_for(1us);
    EXPECT_THAT(message_of([&] { pollers[8].sleep_for(1us); }), testing::HasSubstr("more than 8 pollers"));
  });
}

}  // namespace

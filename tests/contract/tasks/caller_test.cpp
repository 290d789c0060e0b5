// Calls from outside begin on the thread that calls, in the place of a worker that sleeps; attachments keep the place.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using namespace std::chrono_literals;
using nearfork::test::with_workers;

/// Calls until a call began on this thread: at first the workers are still on their way to sleep.
template <class Call>
bool comes_here(const Call& call) {
  for (int i = 0; i < 20'000; ++i) {
    if (call() == std::this_thread::get_id()) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

std::thread::id thread_of_call(nearfork::runtime& in) {
  return in.run([] { return std::this_thread::get_id(); });
}

TEST(caller, begins_its_call_itself_where_a_worker_sleeps) {
  for (const unsigned workers : {1U, 2U, 5U}) {
    nearfork::runtime own(with_workers(workers));
    EXPECT_TRUE(comes_here([&] { return thread_of_call(own); })) << workers << " workers";
    EXPECT_GE(own.report().roots_on_callers, 1U);
    EXPECT_LE(own.report().roots_on_callers, own.report().roots);
    EXPECT_FALSE(nearfork::this_worker::inside());
  }
}

TEST(caller, has_the_number_of_a_worker) {
  nearfork::runtime own(with_workers(3));
  for (int i = 0; i < 200; ++i)
    own.run([&] {
      EXPECT_TRUE(nearfork::this_worker::inside());
      EXPECT_LT(nearfork::this_worker::index(), 3U);
      EXPECT_EQ(&nearfork::this_runtime::get(), &own);
    });
}

TEST(caller, gets_the_exception_and_can_call_again) {
  nearfork::runtime own(with_workers(2));
  for (int i = 0; i < 100; ++i) {
    EXPECT_THROW(own.run([] { throw std::runtime_error("on purpose"); }), std::runtime_error);
    EXPECT_EQ(own.run([] { return 5; }), 5);
  }
}

/// In a handler, and in a destructor during unwinding, as on any other thread.
TEST(caller, keeps_its_own_exceptions_apart_from_those_of_tasks) {
  nearfork::runtime own(with_workers(2));
  for (int i = 0; i < 100; ++i) try {
      throw std::runtime_error("outer");
    } catch (const std::runtime_error& outer) {
      EXPECT_THROW(own.run([] { throw std::logic_error("inner"); }), std::logic_error);
      EXPECT_STREQ(outer.what(), "outer");
      EXPECT_EQ(std::uncaught_exceptions(), 0);
    }
}

long sum_by(nearfork::runtime& in, int count) {
  return in.run([=] { return nearfork::parallel_reduce(0, count, 0L, [](int i) { return long{i}; }, std::plus<>()); });
}

void many_callers(unsigned workers, unsigned callers, bool attached) {
  nearfork::runtime own(with_workers(workers));
  std::atomic<long> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned caller = 0; caller < callers; ++caller)
    threads.emplace_back([&, caller] {
      std::optional<nearfork::attachment> here;
      if (attached) here.emplace(own);
      for (int i = 0; i < 300; ++i) {
        const int count = 1 + (i * 37 + static_cast<int>(caller)) % 500;
        if (sum_by(own, count) != long{count} * (count - 1) / 2) ++wrong;
        if (i % 100 == 99) std::this_thread::sleep_for(1ms);
      }
    });
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(wrong, 0);
}

TEST(caller, is_one_of_many) {
  for (const unsigned workers : {1U, 2U, 4U})
    for (const unsigned callers : {1U, 2U, 6U}) many_callers(workers, callers, false);
}

TEST(attachment, serves_more_threads_than_there_are_workers) {
  for (const unsigned workers : {1U, 2U, 4U})
    for (const unsigned callers : {1U, 2U, 6U}) many_callers(workers, callers, true);
}

/// A thread that waits for its own call must not run a task of another call: that task may need a lock that the thread
/// holds.
TEST(caller, may_hold_a_lock_that_tasks_of_other_calls_need) {
  nearfork::runtime own(with_workers(3));
  std::mutex shared;
  long together = 0;
  const auto held = [&] {
    for (int i = 0; i < 100; ++i) {
      const std::lock_guard lock(shared);
      own.run([] { nearfork::parallel_for(0, 8, [](int) { std::this_thread::sleep_for(20us); }); });
      ++together;
    }
  };
  const auto needed = [&] {
    for (int i = 0; i < 100; ++i)
      own.run([&] {
        nearfork::fork_join(
            [&] {
              const std::lock_guard lock(shared);
              ++together;
            },
            [] { std::this_thread::sleep_for(20us); });
      });
  };
  std::thread first(held), second(needed), third(held);
  first.join();
  second.join();
  third.join();
  EXPECT_EQ(together, 300);
}

/// What a thread leaves behind with submit() is not its own call either.
TEST(caller, may_hold_a_lock_that_submitted_tasks_need) {
  nearfork::runtime own(with_workers(2));
  std::mutex shared;
  std::atomic<int> done{0};
  for (int i = 0; i < 100; ++i) {
    nearfork::submit(own, [&] {
      const std::lock_guard lock(shared);
      ++done;
    });
    {
      const std::lock_guard lock(shared);
      own.run([] { nearfork::parallel_for(0, 8, [](int) { std::this_thread::sleep_for(10us); }); });
    }
    while (done != i + 1) std::this_thread::yield();  // else both workers may wait for the lock
  }
}

/// A worker that runs the calls of a thread, since it was awake when they came, must not stay awake for their sake.
TEST(caller, is_no_longer_served_by_a_worker_when_its_calls_follow_each_other) {
  nearfork::config settings = with_workers(1);
  settings.spin_us = 10'000;
  nearfork::runtime own(settings);
  for (int round = 0; round < 3; ++round) {
    nearfork::async(own, [] {}).get();
    bool begins_here = false;
    for (int i = 0; i < 100'000 && !begins_here; ++i) begins_here = thread_of_call(own) == std::this_thread::get_id();
    EXPECT_TRUE(begins_here);
  }
}

TEST(caller, wakes_workers_for_what_it_forks) {
  nearfork::runtime own(with_workers(4));
  for (int i = 0; i < 20; ++i) {
    // No child returns before all have begun, so four threads must take part.
    std::atomic<int> begun{0};
    const auto meet = [&] {
      ++begun;
      while (begun != 4) std::this_thread::yield();
    };
    own.run([&] { nearfork::fork_join(meet, meet, meet, meet); });
    if (i % 5 == 4) std::this_thread::sleep_for(2ms);
  }
}

TEST(caller, may_be_resumed_by_a_thread_that_calls_meanwhile) {
  nearfork::runtime own(with_workers(1));
  for (int i = 0; i < 50; ++i) {
    std::atomic<bool> waits{false};
    std::optional<nearfork::resumer> wake;
    std::thread other([&] {
      while (!waits) std::this_thread::yield();
      EXPECT_EQ(own.run([] { return 3; }), 3);
      wake->resume();
    });
    own.run([&] {
      nearfork::suspend([&](nearfork::resumer r) {
        wake.emplace(std::move(r));
        waits = true;
      });
    });
    other.join();
  }
}

// Under other policies a kept place could keep work from others.
TEST(attachment, keeps_one_place_under_random) {
  nearfork::config settings = with_workers(3);
  settings.policy = "random";
  nearfork::runtime own(settings);
  const nearfork::attachment here(own);
  ASSERT_TRUE(comes_here([&] { return thread_of_call(own); }));
  const unsigned mine = own.run([] { return nearfork::this_worker::index(); });
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(thread_of_call(own), std::this_thread::get_id());
    EXPECT_EQ(own.run([] { return nearfork::this_worker::index(); }), mine);
  }
}

TEST(attachment, is_given_back_to_what_its_thread_waits_for) {
  for (const char* const policy : {"random", "bats", "auto"}) {
    nearfork::config settings = with_workers(1);
    settings.policy = policy;
    nearfork::runtime own(settings), other(settings);
    const nearfork::attachment here(own);
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(comes_here([&] { return thread_of_call(own); })) << policy;
      EXPECT_EQ(nearfork::async(own, [i] { return i; }).get(), i);
      ASSERT_TRUE(comes_here([&] { return thread_of_call(own); })) << policy;
      EXPECT_EQ(other.run([&] { return own.run([i] { return i; }); }), i);  // the only worker of `own` is needed
    }
  }
}

/// What a thread keeps for its calls is made at its first call, so it ends before this.
TEST(attachment, that_its_thread_made_before_its_first_call_gives_the_place_back) {
  nearfork::runtime own(with_workers(1));
  for (int i = 0; i < 3; ++i) {
    std::thread([&] {
      thread_local std::optional<nearfork::attachment> here;
      here.reset();  // made now
      here.emplace(own);
      EXPECT_EQ(own.run([] { return 7; }), 7);
    }).join();
  }
  EXPECT_EQ(own.run([] { return 8; }), 8);
}

/// The workers went to sleep before the thread's fiber was in the place: they have not asked it for work.
TEST(attachment, wakes_workers_for_what_it_forks) {
  nearfork::config settings = with_workers(4);
  settings.policy = "random";
  nearfork::runtime own(settings);
  const nearfork::attachment here(own);
  ASSERT_TRUE(comes_here([&] { return thread_of_call(own); }));
  for (int i = 0; i < 20; ++i) {
    std::atomic<int> begun{0};
    const auto meet = [&] {
      ++begun;
      while (begun != 4) std::this_thread::yield();
    };
    std::this_thread::sleep_for(2ms);
    own.run([&] { nearfork::fork_join(meet, meet, meet, meet); });
  }
}

TEST(attachment, inside_an_attachment_or_a_task_does_nothing) {
  nearfork::runtime own(with_workers(2)), other(with_workers(1));
  const nearfork::attachment outer(own);
  ASSERT_TRUE(comes_here([&] { return thread_of_call(own); }));
  ASSERT_TRUE(comes_here([&] { return thread_of_call(other); }));
  {
    const nearfork::attachment inner(own), elsewhere(other);
    EXPECT_EQ(sum_by(own, 100), 4950);
    EXPECT_EQ(sum_by(other, 100), 4950);
  }
  own.run([&] { const nearfork::attachment in_task(own); });
  EXPECT_EQ(sum_by(own, 100), 4950);
}

TEST(attachment, is_waited_for_by_its_runtime) {
  for (int i = 0; i < 20; ++i) {
    auto own = std::make_unique<nearfork::runtime>(with_workers(2));
    std::atomic<bool> attached{false}, left{false};
    std::thread deputy([&] {
      const nearfork::attachment here(*own);
      EXPECT_EQ(sum_by(*own, 100), 4950);
      attached = true;
      std::this_thread::sleep_for(1ms);
      left = true;
    });
    while (!attached) std::this_thread::yield();
    own.reset();
    EXPECT_TRUE(left);
    deputy.join();
  }
}

}  // namespace

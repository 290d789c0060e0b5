// async() and its future, submit(), and groups that are bound to a runtime.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/contract/process/process_end.hpp"
#include "tests/message_of.hpp"
#include "tests/runtime_settings.hpp"

namespace {

using namespace std::chrono_literals;
using nearfork::async;
using nearfork::future;
using nearfork::submit;
using nearfork::task_group;
using nearfork::test::begin;
using nearfork::test::message_of;
using nearfork::test::process_end_death_test;
using nearfork::test::with_workers;
using testing::ExitedWithCode;

// --- futures ---

/// Throws at the end of the copy that was called.
struct throws_at_its_end {
  bool armed = true;
  throws_at_its_end() = default;
  throws_at_its_end(throws_at_its_end&& other) noexcept : armed(std::exchange(other.armed, false)) {}
  ~throws_at_its_end() noexcept(false) {
    if (armed) throw 42;
  }
  std::unique_ptr<int> operator()() const { return std::make_unique<int>(7); }
};

TEST(async, hands_on_what_the_end_of_its_callable_throws) {
  nearfork::runtime own(with_workers(2));
  auto later = nearfork::async(own, throws_at_its_end());
  EXPECT_THROW(later.get(), int);
}

TEST(async, gives_values_references_and_nothing) {
  nearfork::runtime own(with_workers(2));
  int cell = 7;
  EXPECT_EQ(async(own, [] { return 42; }).get(), 42);
  EXPECT_EQ(&async(own, [&]() -> int& { return cell; }).get(), &cell);
  async(own, [&] { cell = 8; }).get();
  EXPECT_EQ(cell, 8);
  auto only_moved = async(own, [kept = std::make_unique<int>(9)]() mutable { return std::move(kept); });
  EXPECT_EQ(*only_moved.get(), 9);
}

TEST(async, passes_exceptions_on) {
  nearfork::runtime own(with_workers(2));
  const auto fails = [&] { return async(own, []() -> int { throw nearfork::error("failed"); }); };
  EXPECT_EQ(message_of([&] { (void)fails().get(); }), "failed");
  EXPECT_EQ(message_of([&] { own.run([&] { (void)fails().get(); }); }), "failed");
  (void)fails();  // dropped with its exception
}

TEST(async, suspends_a_task_that_waits) {
  nearfork::runtime own(with_workers(1));
  const int sum = own.run([] {
    std::vector<future<int>> all;
    for (int i = 0; i < 100; ++i) all.push_back(async([i] { return async([i] { return i; }).get(); }));
    int total = 0;
    for (auto& one : all) total += one.get();
    return total;
  });
  EXPECT_EQ(sum, 4950);
}

TEST(async, says_when_it_is_ready) {
  nearfork::runtime own(with_workers(1));
  std::atomic<bool> may_end{false};
  future<void> later = async(own, [&] {
    while (!may_end.load()) std::this_thread::yield();
  });
  EXPECT_FALSE(later.ready());
  may_end.store(true);
  later.wait();
  EXPECT_TRUE(later.ready());
  EXPECT_TRUE(later.valid());
  later.get();
  EXPECT_FALSE(later.valid());
  EXPECT_NE(message_of([&] { later.get(); }).find("this future has no task"), std::string::npos);
  EXPECT_NE(message_of([&] { (void)later.ready(); }).find("this future has no task"), std::string::npos);
}

struct counted {
  explicit counted(std::atomic<int>& alive) noexcept : alive_(&alive) { ++*alive_; }
  counted(const counted& other) noexcept : alive_(other.alive_) { ++*alive_; }
  counted& operator=(const counted&) = default;
  ~counted() { --*alive_; }
  std::atomic<int>* alive_;
};

TEST(async, destroys_callable_and_result_once) {
  std::atomic<int> alive{0};
  {
    nearfork::runtime own(with_workers(2));
    future<counted> later = async(own, [held = counted(alive)] { return held; });
    later.wait();
    EXPECT_EQ(alive, 1) << "the result alone";
    (void)later.get();
    EXPECT_EQ(alive, 0);
    for (int i = 0; i < 200; ++i) (void)async(own, [held = counted(alive)] { return held; });
  }
  EXPECT_EQ(alive, 0) << "the destructor has waited for the dropped ones";
}

/// The first child waits for what the second one does; on one worker no thief could take the second one.
TEST(async, waits_without_keeping_the_jobs_of_its_deque) {
  nearfork::runtime own(with_workers(1));
  own.run([] {
    std::atomic<bool> said{false};
    future<void> hears;
    task_group group;
    group.spawn([&] { said.store(true); });
    group.spawn([&] {
      hears = async([&] {
        while (!said.load()) async([] {}).get();
      });
      hears.get();
    });
    group.sync();
    EXPECT_TRUE(said);
  });
}

TEST(async, forks_go_on_after_a_wait_in_the_middle_of_them) {
  nearfork::runtime own(with_workers(3));
  std::atomic<int> leaves{0};
  struct tree {
    static void walk(int depth, std::atomic<int>& count) {
      if (depth == 0) {
        count += async([] { return 1; }).get();
        return;
      }
      nearfork::fork_join([&] { walk(depth - 1, count); }, [&] { walk(depth - 1, count); });
    }
  };
  own.run([&] { tree::walk(9, leaves); });
  EXPECT_EQ(leaves, 512);
}

TEST(async, crosses_runtimes) {
  nearfork::runtime one(with_workers(1)), other(with_workers(1));
  const int got = one.run([&] {
    auto there = async(other, [&] { return async(one, [] { return 5; }).get(); });
    return there.get() + 1;
  });
  EXPECT_EQ(got, 6);
}

TEST(async, is_not_cancelled_with_its_caller) {
  nearfork::runtime own(with_workers(2));
  future<bool> later;
  own.run([&] {
    task_group group;
    group.spawn([&] {
      group.cancel();
      later = async([] { return nearfork::this_task::cancelled(); });
    });
    group.sync();
  });
  EXPECT_FALSE(later.get());
}

// --- submitted tasks ---

TEST(submit, is_waited_for_by_the_destructor_with_what_it_submits) {
  std::atomic<int> ran{0};
  struct chain {
    static void link(std::atomic<int>& count, int left) {
      ++count;
      if (left > 0) submit([&count, left] { link(count, left - 1); });
    }
  };
  {
    nearfork::runtime own(with_workers(2));
    for (int i = 0; i < 50; ++i) submit(own, [&] { chain::link(ran, 20); });
  }
  EXPECT_EQ(ran, 50 * 21);
}

TEST(submit, runs_in_the_current_runtime) {
  nearfork::runtime own(with_workers(3));
  std::atomic<unsigned> workers{0};
  own.run([&] {
    submit([&] { workers = nearfork::this_runtime::workers(); });
    while (workers.load() == 0) async([] {}).get();
  });
  EXPECT_EQ(workers, 3U);
}

TEST_F(process_end_death_test, an_exception_of_a_submitted_task_ends_the_program_with_a_message) {
  EXPECT_DEATH(
      {
        begin();
        nearfork::runtime own(with_workers(1));
        submit(own, [] { throw nearfork::error("unheard"); });
      },
      "a task of submit\\(\\) threw an exception");
}

TEST_F(process_end_death_test, exit_does_not_wait_for_submitted_and_suspended_tasks) {
  EXPECT_EXIT(
      {
        begin();
        static std::vector<nearfork::resumer> kept;  // destroyed by exit(), which ends the wait below
        std::atomic<int> begun{0};
        submit([&] {
          ++begun;
          for (;;) std::this_thread::sleep_for(1ms);
        });
        submit([&] {
          nearfork::suspend([&](const nearfork::resumer& one) {
            kept.push_back(one);
            ++begun;
          });
        });
        while (begun.load() < 2) std::this_thread::yield();
        std::exit(41);
      },
      ExitedWithCode(41), "");
}

/// The child gets an error from each call, and does not hang.
TEST_F(process_end_death_test, a_child_made_by_fork_is_refused) {
  if (nearfork::test::sanitized) GTEST_SKIP() << "sanitizers do not support fork() with threads";
  EXPECT_EXIT(
      {
        begin();
        nearfork::runtime own(with_workers(1));
        std::atomic<bool> may_end{false};
        future<void> later = async(own, [&] {
          while (!may_end.load()) std::this_thread::yield();
        });
        std::vector<nearfork::resumer> kept;
        std::atomic<bool> waits{false};
        std::thread sleeper([&] {
          nearfork::suspend([&](const nearfork::resumer& one) {
            kept.push_back(one);
            waits.store(true);
          });
        });
        while (!waits.load()) std::this_thread::yield();
        if (::fork() == 0) {
          ::alarm(30);
          const auto say = [](const auto& act) { std::fprintf(stderr, "%s\n", message_of(act).c_str()); };
          say([&] { submit(own, [] {}); });
          say([&] { (void)async(own, [] {}); });
          say([&] { later.get(); });
          say([&] { kept[0].resume(); });
          nearfork::runtime fresh(with_workers(1));
          std::fprintf(stderr, "fresh %d\n", async(fresh, [] { return 3; }).get());
          std::_Exit(0);
        }
        int status = 0;
        ::wait(&status);
        kept[0].resume();
        sleeper.join();
        may_end.store(true);
        std::exit(status);
      },
      ExitedWithCode(0),
      "was started before fork.*was started before fork.*task was started before fork.*resumer was made before "
      "fork.*fresh 3");
}

// --- groups of a given runtime ---

TEST(bound_group, runs_its_tasks_in_the_runtime_that_it_names) {
  nearfork::runtime own(with_workers(3)), other(with_workers(1));
  std::atomic<int> right{0};
  const auto use = [&] {
    task_group group(own);
    for (int round = 0; round < 2; ++round) {
      for (int i = 0; i < 50; ++i)
        group.spawn([&] {
          right += nearfork::this_runtime::current() == &own ? 1 : 0;
          group.spawn([&] { right += nearfork::this_runtime::workers() == 3 ? 1 : 0; });
        });
      group.sync();
    }
  };
  use();
  other.run(use);
  own.run(use);
  EXPECT_EQ(right, 600);
}

TEST(bound_group, passes_exceptions_and_cancellations_on) {
  nearfork::runtime own(with_workers(2)), other(with_workers(1));
  const auto fail = [&] {
    task_group group(own);
    group.spawn([] { throw nearfork::error("failed"); });
    group.sync();
  };
  EXPECT_EQ(message_of(fail), "failed");
  EXPECT_EQ(message_of([&] { other.run(fail); }), "failed");
  bool cut_short = false;
  other.run([&] {
    task_group outer;
    outer.spawn([&] {
      task_group inner(own);
      std::atomic<bool> begun{false};
      inner.spawn([&] {
        begun.store(true);
        while (!nearfork::this_task::cancelled()) std::this_thread::yield();
      });
      while (!begun.load()) std::this_thread::yield();
      outer.cancel();
      try {
        inner.sync();
      } catch (const nearfork::cancelled&) {
        cut_short = true;
      }
    });
    outer.sync();
  });
  EXPECT_TRUE(cut_short);
}

}  // namespace

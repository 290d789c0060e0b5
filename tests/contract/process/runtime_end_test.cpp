// The program's own runtimes when the process ends, and runtimes that are destroyed while others use them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/contract/process/process_end.hpp"
#include "tests/runtime_settings.hpp"

namespace {

using namespace std::chrono_literals;
using nearfork::test::begin;
using nearfork::test::in_background;
using nearfork::test::process_end_death_test;
using nearfork::test::with_workers;
using testing::ExitedWithCode;

// --- runtimes of the program's own ---

TEST_F(process_end_death_test, exit_in_a_task_of_a_local_runtime_writes_its_report) {
  EXPECT_EXIT(
      {
        begin();
        nearfork::config settings = with_workers(2);
        settings.report = path("report");
        nearfork::runtime own(settings);
        own.run([] { std::exit(31); });
      },
      ExitedWithCode(31), "");
  EXPECT_NE(content("report").find("worker 0"), std::string::npos);
}

TEST_F(process_end_death_test, exit_in_a_task_of_a_static_runtime) {
  EXPECT_EXIT(
      {
        begin();
        nearfork::config settings = with_workers(2);
        settings.report = path("report");
        static nearfork::runtime own(settings);
        own.run([] { std::exit(32); });
      },
      ExitedWithCode(32), "");
  EXPECT_NE(content("report").find("worker 0"), std::string::npos);
}

/// The first run() of the runtime comes before the static object's destructor is registered.
TEST_F(process_end_death_test, exit_in_a_task_of_a_runtime_inside_a_static_object) {
  EXPECT_EXIT(
      {
        begin();
        struct service {
          service() {
            own.run([] {});
          }
          nearfork::runtime own{with_workers(1)};
        };
        static service made;
        made.own.run([] { std::exit(33); });
      },
      ExitedWithCode(33), "");
}

TEST_F(process_end_death_test, a_static_runtime_may_have_others_in_run) {
  EXPECT_EXIT(
      {
        begin();
        static nearfork::runtime own(with_workers(2));
        in_background([](auto started) {
          own.run([&] {
            started();
            for (;;) std::this_thread::sleep_for(1ms);
          });
        });
        std::exit(34);
      },
      ExitedWithCode(34), "");
}

TEST_F(process_end_death_test, a_static_runtime_is_used_by_static_objects_made_before) {
  EXPECT_EXIT(
      {
        begin();
        static std::optional<nearfork::runtime> own;
        own.emplace(with_workers(2));
        std::atexit([] { std::fprintf(stderr, "got %d\n", own->run([] { return 5; })); });
        own->run([] {});
        std::exit(35);
      },
      ExitedWithCode(35), "got 5");
}

// --- a runtime that is destroyed while others use it ---

TEST(runtime_end, waits_for_calls_in_progress) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> begun{0};
    std::atomic<int> finished{0};
    std::vector<std::thread> callers;
    {
      nearfork::runtime own(with_workers(2));
      for (int i = 0; i < 3; ++i)
        callers.emplace_back([&] {
          own.run([&] {
            begun.fetch_add(1);
            nearfork::parallel_for(0, 10, [](int) { std::this_thread::sleep_for(100us); });
            finished.fetch_add(1);
          });
        });
      while (begun.load() < 3) std::this_thread::yield();
    }
    EXPECT_EQ(finished.load(), 3);
    for (std::thread& one : callers) one.join();
  }
}

TEST(runtime_end, refuses_calls_that_begin_while_it_is_destroyed) {
  auto own = std::make_unique<nearfork::runtime>(with_workers(2));
  nearfork::runtime& same = *own;
  std::atomic<bool> inside{false};
  std::atomic<bool> may_end{false};
  std::thread caller([&] {
    same.run([&] {
      inside.store(true);
      while (!may_end.load()) std::this_thread::yield();
    });
  });
  while (!inside.load()) std::this_thread::yield();
  std::thread destroyer([&] { own.reset(); });
  // The destructor waits for `caller`, so `same` stays alive. Calls are accepted until the destructor has begun.
  std::string message;
  while (message.empty()) try {
      same.run([] {});
    } catch (const nearfork::error& refused) {
      message = refused.what();
    }
  EXPECT_NE(message.find("being destroyed"), std::string::npos) << message;
  may_end.store(true);
  caller.join();
  destroyer.join();
}

TEST(runtime_end, is_refused_to_a_task_of_another_runtime_like_to_a_thread) {
  nearfork::runtime outer(with_workers(2));
  const int got = outer.run([] {
    nearfork::runtime inner(with_workers(2));
    return inner.run([] { return 6; });
  });
  EXPECT_EQ(got, 6);
}

TEST_F(process_end_death_test, a_task_that_destroys_its_own_runtime_ends_with_a_message) {
  EXPECT_DEATH(
      {
        begin();
        auto* const own = new nearfork::runtime(with_workers(2));
        own->run([own] { delete own; });
      },
      "a runtime is destroyed by a task of its own");
}

}  // namespace

// Every way in which a process may end: its status is the program's, no output is lost, and nothing hangs.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include <nearfork/nearfork.hpp>

#include "tests/contract/process/process_end.hpp"
#include "tests/runtime_settings.hpp"

namespace {

using namespace std::chrono_literals;
using nearfork::test::begin;
using nearfork::test::compute_at_exit;
using nearfork::test::computes_when_destroyed;
using nearfork::test::either;
using nearfork::test::keep_a_worker_busy;
using nearfork::test::process_end_death_test;
using testing::ExitedWithCode;
using testing::KilledBySignal;

TEST_F(process_end_death_test, exit_in_a_task_keeps_status_output_and_report) {
  EXPECT_EXIT(
      {
        begin();
        ::setenv("NEARFORK_REPORT", path("report.json").c_str(), 1);
        ::setenv("NEARFORK_RECORD", path("graph.nfg").c_str(), 1);
        std::FILE* const buffered = std::fopen(path("text").c_str(), "w");
        std::fputs("not lost", buffered);
        nearfork::region("first", [] { nearfork::fork_join([] {}, [] {}); });
        nearfork::run([] { nearfork::fork_join([] { std::exit(7); }, [] {}); });
      },
      ExitedWithCode(7), "");
  EXPECT_EQ(content("text"), "not lost");
  EXPECT_NE(content("report.json").find("\"policy\""), std::string::npos);
  EXPECT_FALSE(content("graph.nfg").empty());
}

/// Made before the process's runtime, so it ends after that was asked to stop.
struct waits_when_destroyed {
  nearfork::task_group* group = nullptr;
  nearfork::dataflow* graph = nullptr;
  ~waits_when_destroyed() {
    delete group;
    delete graph;
    std::fprintf(stderr, "waited\n");
  }
};

/// make(object) gives the object tasks that the program does not wait for.
template <class Make>
[[noreturn]] void exit_before_tasks_are_done(const char* workers, Make make) {
  begin();
  ::setenv("NEARFORK_WORKERS", workers, 1);
  static waits_when_destroyed at_exit;
  make(at_exit);
  std::exit(0);
}

TEST_F(process_end_death_test, a_static_group_with_tasks_is_waited_for) {
  const auto make = [](waits_when_destroyed& at_exit) {
    at_exit.group = new nearfork::task_group;
    for (int i = 0; i < 1000; ++i) at_exit.group->spawn([] { std::this_thread::sleep_for(1us); });
  };
  for (const char* const workers : {"1", "2"})
    EXPECT_EXIT(exit_before_tasks_are_done(workers, make), ExitedWithCode(0), "waited");
}

TEST_F(process_end_death_test, a_static_graph_with_tasks_is_waited_for) {
  const auto make = [](waits_when_destroyed& at_exit) {
    static int x = 0;
    at_exit.graph = new nearfork::dataflow;
    for (int i = 0; i < 1000; ++i) at_exit.graph->task({nearfork::inout(x)}, [] { std::this_thread::sleep_for(1us); });
  };
  for (const char* const workers : {"1", "2"})
    EXPECT_EXIT(exit_before_tasks_are_done(workers, make), ExitedWithCode(0), "waited");
}

TEST_F(process_end_death_test, exit_in_a_stolen_task_of_a_group_and_of_a_loop) {
  if (nearfork::test::sanitized) GTEST_SKIP() << "the leak checker does not see tasks that suspended fibers still hold";
  EXPECT_EXIT(
      {
        begin();
        nearfork::run([] {
          nearfork::task_group group;
          for (int i = 0; i < 100; ++i)
            group.spawn([i] {
              if (i == 50) std::exit(8);
            });
          group.sync();
        });
      },
      ExitedWithCode(8), "");
  EXPECT_EXIT(
      {
        begin();
        nearfork::parallel_for(0, 1000, [](int i) {
          if (i == 700) std::exit(9);
        });
      },
      ExitedWithCode(9), "");
}

TEST_F(process_end_death_test, exit_in_the_only_worker_while_static_objects_compute) {
  EXPECT_EXIT(
      {
        begin();
        ::setenv("NEARFORK_WORKERS", "1", 1);
        static const computes_when_destroyed before_first_use;
        nearfork::run([] {});
        static const computes_when_destroyed after_first_use;
        nearfork::run([] { std::exit(7); });
      },
      ExitedWithCode(7), either);
}

TEST_F(process_end_death_test, static_objects_and_handlers_compute_before_and_after_the_hook) {
  EXPECT_EXIT(
      {
        begin();
        std::atexit(compute_at_exit);
        static const computes_when_destroyed before_first_use;
        nearfork::run([] {});
        static const computes_when_destroyed after_first_use;
        std::atexit(compute_at_exit);
        std::exit(3);
      },
      ExitedWithCode(3), "sum 500500 at the end\nsum 500500 at the end\nsum 500500 at the end\nsum 500500 at the end");
}

TEST_F(process_end_death_test, first_use_may_be_at_exit) {
  EXPECT_EXIT(
      {
        begin();
        std::atexit(compute_at_exit);
        std::exit(4);
      },
      ExitedWithCode(4), "sum 500500 at the end");
}

TEST_F(process_end_death_test, a_group_is_used_at_exit) {
  EXPECT_EXIT(
      {
        begin();
        std::atexit([] {
          std::atomic<int> ran{0};
          nearfork::task_group group;
          for (int i = 0; i < 10; ++i) group.spawn([&] { ran.fetch_add(1); });
          group.sync();
          std::fprintf(stderr, "%d ran\n", ran.load());
        });
        nearfork::run([] {});
        std::exit(5);
      },
      ExitedWithCode(5), "10 ran");
}

/// As when main() returns: other tasks may run for ever.
TEST_F(process_end_death_test, others_may_be_in_run) {
  EXPECT_EXIT(
      {
        begin();
        ::setenv("NEARFORK_REPORT", path("report").c_str(), 1);
        keep_a_worker_busy();
        static const computes_when_destroyed after_first_use;
        std::exit(6);
      },
      ExitedWithCode(6), either);
  EXPECT_NE(content("report").find("worker 0"), std::string::npos);
}

TEST_F(process_end_death_test, an_outside_group_may_have_tasks_left) {
  EXPECT_EXIT(
      {
        begin();
        auto* const group = new nearfork::task_group;
        std::atomic<bool> begun{false};
        group->spawn([&] {
          begun.store(true);
          for (;;) std::this_thread::sleep_for(1ms);
        });
        while (!begun.load()) std::this_thread::yield();
        std::exit(2);
      },
      ExitedWithCode(2), "");
}

/// With two ordinary threads, glibc before 2.41 frees its handlers twice, with or without nearfork.
TEST_F(process_end_death_test, two_tasks_exit_at_once) {
  EXPECT_EXIT(
      {
        begin();
        std::atomic<int> there{0};
        const auto leave = [&] {
          there.fetch_add(1);
          while (there.load() < 2) std::this_thread::yield();
          std::exit(12);
        };
        nearfork::run([&] { nearfork::fork_join(leave, leave); });
      },
      ExitedWithCode(12), "");
}

TEST_F(process_end_death_test, exit_during_the_first_use_of_another_thread) {
  EXPECT_EXIT(
      {
        begin();
        std::thread([] { nearfork::run([] {}); }).detach();
        std::exit(13);
      },
      ExitedWithCode(13), "");
}

TEST_F(process_end_death_test, quick_exit_exit_and_abort_write_nothing) {
  const auto with_report = [this](void (*end)()) {
    begin();
    ::setenv("NEARFORK_REPORT", path("report").c_str(), 1);
    nearfork::run([end] { end(); });
  };
  EXPECT_EXIT(with_report([] { std::quick_exit(21); }), ExitedWithCode(21), "");
  EXPECT_EXIT(with_report([] { ::_exit(22); }), ExitedWithCode(22), "");
  EXPECT_EXIT(with_report([] { std::abort(); }), KilledBySignal(SIGABRT), "");
  EXPECT_FALSE(std::filesystem::exists(path("report")));
}

TEST_F(process_end_death_test, handlers_of_quick_exit_compute) {
  EXPECT_EXIT(
      {
        begin();
        std::at_quick_exit(compute_at_exit);
        nearfork::run([] {});
        std::quick_exit(23);
      },
      ExitedWithCode(23), "sum 500500 at the end");
}

/// A worker's thread-local objects are destroyed as at any end of a thread, so that no buffered data is lost.
TEST_F(process_end_death_test, workers_thread_locals_are_destroyed_at_an_ordinary_end) {
  EXPECT_EXIT(
      {
        begin();
        struct says_so {
          bool used = false;
          ~says_so() { std::fputs("thread_local destroyed\n", stderr); }
        };
        nearfork::run([] {
          static thread_local says_so mine;
          mine.used = true;
        });
        std::exit(0);
      },
      ExitedWithCode(0), "thread_local destroyed");
}

}  // namespace

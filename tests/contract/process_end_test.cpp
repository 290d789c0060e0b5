// Every way in which a process may end: its status is the program's, what it wrote is not lost, and nothing hangs. Each case runs in a
// process of its own, which is killed where it hangs.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using namespace std::chrono_literals;
using nearfork::test::with_workers;
using testing::ExitedWithCode;
using testing::KilledBySignal;

/// The statement of a death test runs in a fresh process: a hang ends with SIGALRM, which is not the status that is expected.
void begin() {
  ::setenv("NEARFORK_WORKERS", "2", 1);
  ::setenv("NEARFORK_PIN", "off", 1);
  ::alarm(60);
}

int sum_to(int end) {
  return nearfork::parallel_reduce(0, end, 0, [](int i) { return i; }, [](int a, int b) { return a + b; });
}

/// What is begun there goes on when the process ends.
template <class F>
void in_background(F f) {
  std::atomic<bool> begun{false};
  std::thread([f, &begun] { f([&] { begun.store(true); }); }).detach();
  while (!begun.load()) std::this_thread::yield();
}

void keep_a_worker_busy() {
  in_background([](auto started) {
    nearfork::run([&] {
      started();
      for (;;) std::this_thread::sleep_for(1ms);
    });
  });
}

/// Says on stderr what a parallel loop gives while static objects are destroyed, or handlers run.
void compute_at_exit() {
  try {
    std::fprintf(stderr, "sum %d at the end\n", sum_to(1001));
  } catch (const nearfork::error& refused) {
    std::fprintf(stderr, "refused at the end: %s\n", refused.what());
  }
}
struct computes_when_destroyed {
  ~computes_when_destroyed() { compute_at_exit(); }
};
constexpr const char* either = "sum 500500 at the end|refused at the end: nearfork: .*";

class process_end_test : public testing::Test {
 protected:
  process_end_test() {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    // One path for the test and for the process that runs its statement.
    const auto* const info = testing::UnitTest::GetInstance()->current_test_info();
    folder = std::filesystem::temp_directory_path() /
             ("nearfork-process-end-" + std::string(info->name()) + "-" + std::to_string(::getuid()));
    if (testing::internal::InDeathTestChild()) return;
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  }
  ~process_end_test() override {
    if (!testing::internal::InDeathTestChild()) std::filesystem::remove_all(folder);
  }
  [[nodiscard]] std::string path(const char* name) const { return (folder / name).string(); }
  [[nodiscard]] std::string content(const char* name) const {
    std::ifstream file(folder / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::filesystem::path folder;
};
using process_end_death_test = process_end_test;

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

/// As main() returns: the others may run for ever.
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

/// Of two ordinary threads glibc before 2.41 frees its handlers twice, with or without nearfork.
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

/// Its first run() is before its destructor is registered.
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

/// Threads' own objects are destroyed as at any end of a thread: what they buffer is not lost.
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

// --- a runtime that goes while others use it ---

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
  // The destructor waits for `caller`, so that `same` lives. Calls are taken until it has begun.
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

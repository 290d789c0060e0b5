// fork() at any moment: the child gets a result or nearfork::error, and does not hang. Each case runs in a process of
// its own.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::test::sanitized;
using nearfork::test::with_workers;
using testing::ExitedWithCode;

constexpr unsigned most_seconds = 30;

/// True if `act`, in a child forked now, gave a result or threw nearfork::error.
template <class F>
bool child_can(F act) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(most_seconds);
    try {
      ::_exit(act() ? 0 : 1);
    } catch (const nearfork::error&) {
      ::_exit(0);
    } catch (...) {
      ::_exit(2);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) std::fprintf(stderr, "the child was killed by signal %d\n", WTERMSIG(status));
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// What a child tries, step by step: a refused step does not prevent the next one.
bool uses_everything() {
  const auto try_it = [](auto&& step) {
    try {
      step();
    } catch (const nearfork::error&) {
    }
  };
  bool right = true;
  try_it([&] { right &= nearfork::run([] { return 4; }) == 4; });
  try_it([&] {
    nearfork::task_group group;
    group.spawn([] {});
    group.sync();
  });
  try_it([&] {
    nearfork::dataflow graph;
    int value = 0;
    graph.task({nearfork::out(value)}, [&] { value = 1; });
    graph.sync();
  });
  try_it([&] { (void)nearfork::process_runtime().report(); });
  try_it([&] {
    nearfork::array<int> data(1 << 20);
    data[5] = 1;
    right &= data[5] == 1;
  });
  try_it([&] {
    nearfork::allocator<int> small;
    small.deallocate(small.allocate(8), 8);
  });
  nearfork::runtime own(with_workers(2));
  right &= own.run([] { return nearfork::parallel_reduce(0, 101, 0, [](int i) { return i; }, std::plus<>{}); }) == 5050;
  return right;
}

class fork_death_test : public testing::Test {
 protected:
  fork_death_test() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
  void SetUp() override {
    if (sanitized) GTEST_SKIP() << "sanitizers do not support fork() with threads";
  }
};

void begin_forking() {
  ::setenv("NEARFORK_WORKERS", "2", 1);
  ::setenv("NEARFORK_PIN", "off", 1);
  ::setenv("NEARFORK_POLICY", "random", 1);
}

/// In a process that has not used nearfork, one thread uses nearfork for the first time while another thread forks.
bool fork_during_first_use(unsigned delay_us, const char* machine) {
  const pid_t fresh = ::fork();
  if (fresh == 0) {
    ::alarm(3 * most_seconds);
    ::setenv("NEARFORK_MACHINE", machine, 1);
    std::atomic<bool> begun{false};
    std::thread user([&] {
      begun.store(true);
      (void)nearfork::run([] { return 1; });
      nearfork::array<int> data(1 << 20);
    });
    while (!begun.load()) std::this_thread::yield();
    ::usleep(delay_us);
    const bool right = child_can(uses_everything);
    user.join();
    ::_exit(right && nearfork::run([] { return 2; }) == 2 ? 0 : 1);
  }
  int status = 0;
  ::waitpid(fresh, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

[[noreturn]] void end_with(int wrong) {
  std::fprintf(stderr, "%d wrong\n", wrong);
  std::exit(wrong == 0 ? 0 : 1);
}

[[noreturn]] void fork_200_times_during_first_use() {
  begin_forking();
  std::mt19937 random(7);
  int wrong = 0;
  for (unsigned round = 0; round < 200; ++round) {
    const auto delay_us = static_cast<unsigned>(random() % (round % 2 == 0 ? 2000 : 20000));
    if (!fork_during_first_use(delay_us, round % 4 == 3 ? "package:2 l3:1 core:2 pu:1" : "")) ++wrong;
  }
  end_with(wrong);
}

/// A thread's first call announces what is to be destroyed at the thread's end: the C library takes a lock for that.
[[noreturn]] void fork_during_first_calls_of_threads() {
  begin_forking();
  nearfork::runtime own(with_workers(1));
  std::atomic<bool> stop{false};
  std::thread others([&] {
    while (!stop.load()) {
      std::thread first_call([&] { own.run([] {}); });
      std::thread first_block([] { nearfork::allocator<int>().deallocate(nearfork::allocator<int>().allocate(8), 8); });
      first_call.join();
      first_block.join();
    }
  });
  int wrong = 0;
  for (int round = 0; round < 500; ++round) wrong += child_can(uses_everything) ? 0 : 1;
  stop.store(true);
  others.join();
  end_with(wrong);
}

[[noreturn]] void fork_while_others_are_busy() {
  begin_forking();
  std::atomic<bool> stop{false};
  std::vector<std::thread> others;
  const auto again = [&](auto act) {
    others.emplace_back([&stop, act] {
      while (!stop.load()) act();
    });
  };
  again([] { nearfork::parallel_for(0, 1000, [](int) {}); });
  again([] { nearfork::array<int> data(1 << 20); });
  again([] {
    nearfork::allocator<int> small;
    small.deallocate(small.allocate(8), 8);
  });
  again([] { (void)nearfork::process_runtime().report(); });
  again([] { nearfork::runtime own(with_workers(2)); });
  again([] { nearfork::region("fork", [] { nearfork::fork_join([] {}, [] {}); }); });
  int wrong = 0;
  for (int round = 0; round < 30; ++round) wrong += child_can(uses_everything) ? 0 : 1;
  stop.store(true);
  for (std::thread& one : others) one.join();
  end_with(wrong);
}

[[noreturn]] void exit_in_a_child() {
  begin_forking();
  ::setenv("NEARFORK_REPORT", "stderr", 1);
  static nearfork::runtime own(with_workers(2));
  nearfork::run([] {});
  own.run([] {});
  const pid_t child = ::fork();
  ::alarm(most_seconds);
  if (child == 0) std::exit(5);
  int status = 0;
  ::waitpid(child, &status, 0);
  std::exit(WIFEXITED(status) && WEXITSTATUS(status) == 5 ? 0 : 1);
}

/// All that uses the process's runtime, in a child of a process that has used its own; and in a child of the child.
bool uses_the_processs_runtime() {
  const auto sum = [] { return nearfork::parallel_reduce(0, 1001, 0, [](int i) { return i; }, std::plus<>{}); };
  bool right = sum() == 500'500 && nearfork::run(sum) == 500'500 && nearfork::async(sum).get() == 500'500;
  std::atomic<int> ran{0};
  nearfork::task_group group;
  for (int i = 0; i < 100; ++i) group.spawn([&] { ran.fetch_add(1); });
  group.sync();
  int steps = 0;
  nearfork::dataflow graph;
  for (int i = 0; i < 100; ++i) graph.task({nearfork::inout(steps)}, [&] { ++steps; });
  graph.wait();
  const nearfork::attachment here = nearfork::attach();
  for (int i = 0; i < 10; ++i) right &= sum() == 500'500;
  return right && ran.load() == 100 && steps == 100 && nearfork::process_runtime().report().workers.size() == 2;
}

[[noreturn]] void start_anew_in_children() {
  begin_forking();
  int wrong = 0;
  if (!uses_the_processs_runtime()) ++wrong;
  const auto in_child = [] { return uses_the_processs_runtime() && child_can(uses_the_processs_runtime); };
  if (!child_can(in_child)) ++wrong;
  {
    const nearfork::attachment here = nearfork::attach();
    nearfork::parallel_for(0, 100, [](int) {});  // takes a place
    if (!child_can(in_child)) ++wrong;
    if (!child_can([] {
          const nearfork::attachment again = nearfork::attach();
          return uses_the_processs_runtime();
        }))
      ++wrong;
  }
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop.load()) nearfork::parallel_for(0, 1000, [](int) {});
  });
  for (int i = 0; i < 20; ++i)
    if (!child_can(in_child)) ++wrong;
  stop.store(true);
  other.join();
  if (!uses_the_processs_runtime()) ++wrong;
  end_with(wrong);
}

/// A child that has used the process's runtime ends as any process: with a report of its own.
[[noreturn]] void exit_in_a_child_that_started_anew() {
  begin_forking();
  ::setenv("NEARFORK_REPORT", "stderr", 1);
  nearfork::run([] {});
  const pid_t child = ::fork();
  ::alarm(most_seconds);
  if (child == 0) {
    nearfork::run([] {});
    std::exit(5);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  std::exit(WIFEXITED(status) && WEXITSTATUS(status) == 5 ? 0 : 1);
}

/// Graphs of the parent, one with tasks that wait: the child is refused, and may leave the frames that have them.
[[noreturn]] void leave_graphs_in_a_child() {
  begin_forking();
  int wrong = 0;
  {
    nearfork::dataflow idle, busy;
    std::vector<int> data(100);
    std::atomic<bool> go_on{false};
    idle.task({nearfork::out(data)}, [] {});
    idle.wait();
    busy.task({nearfork::out(data)}, [&] {
      while (!go_on.load()) std::this_thread::yield();
    });
    for (int i = 0; i < 100; ++i) busy.task({nearfork::inout(data)}, [] {});
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(most_seconds);
      int refused = 0;
      const auto expect_error = [&](auto&& act) {
        try {
          act();
        } catch (const nearfork::error&) {
          ++refused;
        }
      };
      expect_error([&] { idle.sync(); });
      expect_error([&] { busy.wait(); });
      expect_error([&] { idle.keep(); });
      expect_error([&] { idle.task({nearfork::in(data)}, [] {}); });
      expect_error([&] { busy.task({nearfork::in(data)}, [] {}); });
      if (refused != 5) ::_exit(3);
      // Ends the graphs, as leaving this frame would.
      idle.~dataflow();
      busy.~dataflow();
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) ++wrong;
    go_on.store(true);
  }
  end_with(wrong);
}

/// In a child that was made inside a task: what the child waits for runs on workers of its own.
bool uses_a_runtime_of_its_own() {
  nearfork::runtime own(with_workers(2));
  const auto sum = [] { return nearfork::parallel_reduce(0, 1001, 0, [](int i) { return i; }, std::plus<>{}); };
  bool right = own.run(sum) == 500'500;
  right &= nearfork::async(own, sum).get() == 500'500;
  std::atomic<int> ran{0};
  nearfork::task_group group(own);
  for (int i = 0; i < 100; ++i) group.spawn([&] { ran.fetch_add(1); });
  group.sync();
  int steps = 0;
  nearfork::dataflow graph(own);
  for (int i = 0; i < 100; ++i) graph.task({nearfork::inout(steps)}, [&] { ++steps; });
  graph.wait();
  return right && ran.load() == 100 && steps == 100;
}

void fork_inside_tasks() {
  begin_forking();
  std::atomic<int> wrong{0}, children{0};
  const auto task = [&] {
    children.fetch_add(1);
    if (!child_can(uses_a_runtime_of_its_own)) wrong.fetch_add(1);
  };
  for (const unsigned workers : {1U, 2U, 4U}) {
    nearfork::runtime parent(with_workers(workers));
    for (int i = 0; i < 3; ++i) {
      parent.run(task);
      parent.run([&] { nearfork::fork_join(task, [] {}); });
      parent.run([&] { nearfork::parallel_for(0, 4, [&](int) { task(); }, {.grain = 1}); });
    }
  }
  if (children.load() != 3 * 3 * 6) wrong.fetch_add(1000);
  end_with(wrong.load());
}

TEST_F(fork_death_test, a_child_made_in_a_task_waits_for_a_runtime_of_its_own) {
  EXPECT_EXIT(fork_inside_tasks(), ExitedWithCode(0), "0 wrong");
}

TEST_F(fork_death_test, during_the_first_use_of_another_thread) {
  EXPECT_EXIT(fork_200_times_during_first_use(), ExitedWithCode(0), "0 wrong");
}

TEST_F(fork_death_test, during_the_first_calls_of_threads) {
  EXPECT_EXIT(fork_during_first_calls_of_threads(), ExitedWithCode(0), "0 wrong");
}

TEST_F(fork_death_test, while_others_run_allocate_report_and_start_runtimes) {
  EXPECT_EXIT(fork_while_others_are_busy(), ExitedWithCode(0), "0 wrong");
}

TEST_F(fork_death_test, a_child_starts_the_processs_runtime_anew) {
  EXPECT_EXIT(start_anew_in_children(), ExitedWithCode(0), "0 wrong");
}

TEST_F(fork_death_test, exit_in_a_child_that_started_anew_is_as_any) {
  EXPECT_EXIT(exit_in_a_child_that_started_anew(), ExitedWithCode(0), "worker 0(.|\n)*worker 0");
}

TEST_F(fork_death_test, a_child_is_refused_by_graphs_and_can_leave_them) {
  EXPECT_EXIT(leave_graphs_in_a_child(), ExitedWithCode(0), "0 wrong");
}

TEST_F(fork_death_test, exit_in_the_child_leaves_the_parents_runtimes_alone) {
  EXPECT_EXIT(exit_in_a_child(), ExitedWithCode(0), "worker 0");
}

}  // namespace

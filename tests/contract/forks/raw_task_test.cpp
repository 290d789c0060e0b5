// Tasks without templates: what C, OpenMP and dataflow build upon.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <vector>

#include <nearfork/detail/raw_task.hpp>
#include <nearfork/nearfork.hpp>

namespace {

using nearfork::detail::fork_raw;
using nearfork::detail::raw_task;
using nearfork::detail::run_raw;
using nearfork::detail::spawn_raw;

struct visit {
  std::atomic<int> calls = 0;
  static void count(void* data) { ++static_cast<visit*>(data)->calls; }
  [[nodiscard]] raw_task task() { return {&visit::count, this}; }
};

struct fib_call {
  int n;
  long result = 0;
  static void solve(void* data) {
    auto& me = *static_cast<fib_call*>(data);
    if (me.n < 2) {
      me.result = me.n;
      return;
    }
    fib_call first{me.n - 1};
    fib_call second{me.n - 2};
    const std::array calls{raw_task{&solve, &first}, raw_task{&solve, &second}};
    fork_raw(calls);
    me.result = first.result + second.result;
  }
};

TEST(raw_task, forks_a_tree_without_templates) {
  fib_call whole{20};
  run_raw({&fib_call::solve, &whole}, {__FILE__, __LINE__});
  EXPECT_EQ(whole.result, 6765);
}

TEST(raw_task, forks_any_number_of_children_each_once) {
  for (const std::size_t count : std::initializer_list<std::size_t>{0, 1, 2, 3, 7, 100, 9000}) {
    std::vector<visit> visits(count);
    std::vector<raw_task> calls;
    for (visit& one : visits) calls.push_back(one.task());
    fork_raw(calls);                          // from outside
    nearfork::run([&] { fork_raw(calls); });  // from a worker
    for (const visit& one : visits) EXPECT_EQ(one.calls, 2) << "of " << count;
  }
}

TEST(raw_task, the_first_failure_by_position_is_thrown_and_nothing_outlives_the_fork) {
  struct thrower {
    static void fail(void* what) { throw std::runtime_error(static_cast<const char*>(what)); }
  };
  static char second[] = "second";
  static char third[] = "third";
  for (int round = 0; round < 50; ++round) {
    visit first;
    const std::array calls{first.task(), raw_task{&thrower::fail, second}, raw_task{&thrower::fail, third}};
    EXPECT_THROW(fork_raw(calls), std::runtime_error);
    EXPECT_LE(first.calls, 1);
  }
}

TEST(raw_task, a_group_takes_raw_tasks) {
  visit one;
  nearfork::task_group all;
  for (int i = 0; i < 100; ++i) spawn_raw(all, one.task());
  all.sync();
  EXPECT_EQ(one.calls, 100);
}

}  // namespace

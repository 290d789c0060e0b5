// Calls of threads outside while all workers are busy with the calls of others: they need not wait for those.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <nearfork/dataflow.hpp>
#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::test::with_workers;

/// Another thread's call, which ends when this does: until then it has all workers.
class busy_call {
 public:
  explicit busy_call(nearfork::runtime& in) : thread_([this, &in] { keep_busy(in); }) {
    while (in_bodies_ < static_cast<int>(in.workers())) std::this_thread::yield();
  }
  ~busy_call() {
    is_over_ = true;
    thread_.join();
  }
  busy_call(const busy_call&) = delete;
  busy_call& operator=(const busy_call&) = delete;

 private:
  void keep_busy(nearfork::runtime& in) {
    in.run([&] {
      nearfork::task_group bodies;
      for (unsigned i = 0; i < in.workers(); ++i)
        bodies.spawn([&] {
          ++in_bodies_;
          while (!is_over_) std::this_thread::yield();
        });
      bodies.sync();
    });
  }

  std::atomic<int> in_bodies_{0};
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

class busy_workers : public testing::TestWithParam<unsigned> {
 protected:
  nearfork::runtime home{with_workers(GetParam())};
  std::atomic<int> done{0};
};
INSTANTIATE_TEST_SUITE_P(workers, busy_workers, testing::Values(1U, 2U, 5U));

TEST_P(busy_workers, keep_no_call_waiting) {
  const busy_call meanwhile(home);
  for (int round = 0; round < 20; ++round)
    home.run([&] {
      EXPECT_EQ(nearfork::this_runtime::current(), &home);
      nearfork::parallel_for(0, 100, [&](int) { ++done; });
    });
  EXPECT_EQ(done, 2000);
}

TEST_P(busy_workers, keep_no_group_waiting) {
  const busy_call meanwhile(home);
  for (int round = 0; round < 20; ++round) {
    nearfork::task_group group(home);
    for (int i = 0; i < 100; ++i) group.spawn([&] { ++done; });
    group.sync();
  }
  EXPECT_EQ(done, 2000);
}

void spawn_tree(nearfork::task_group& all, std::atomic<int>& nodes, int levels) {
  ++nodes;
  for (int child = 0; child < 2 && levels > 0; ++child)
    all.spawn([&all, &nodes, levels] { spawn_tree(all, nodes, levels - 1); });
}

TEST_P(busy_workers, keep_no_group_waiting_whose_tasks_spawn_others) {
  const busy_call meanwhile(home);
  for (int round = 0; round < 20; ++round) {
    nearfork::task_group all(home);
    all.spawn([&] { spawn_tree(all, done, 6); });
    all.sync();
  }
  EXPECT_EQ(done, 20 * 127);
}

TEST_P(busy_workers, keep_no_calls_of_many_threads_waiting) {
  const busy_call meanwhile(home);
  std::vector<std::thread> callers;
  for (int i = 0; i < 6; ++i)
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        home.run([&] { nearfork::parallel_for(0, 10, [&](int) { ++done; }); });
        nearfork::task_group group(home);
        for (int task = 0; task < 4; ++task) group.spawn([&] { ++done; });
        group.sync();
      }
    });
  for (std::thread& one : callers) one.join();
  EXPECT_EQ(done, 6 * 50 * 14);
}

TEST_P(busy_workers, keep_no_future_waiting) {
  const busy_call meanwhile(home);
  for (int round = 0; round < 20; ++round) {
    std::vector<nearfork::future<int>> results;
    for (int i = 0; i < 10; ++i) results.push_back(nearfork::async(home, [i] { return i; }));
    for (auto& one : results) done += one.get();
  }
  EXPECT_EQ(done, 20 * 45);
}

TEST_P(busy_workers, keep_no_graph_waiting) {
  const busy_call meanwhile(home);
  for (int round = 0; round < 20; ++round) {
    nearfork::dataflow graph(home);
    int last = 0;
    for (int i = 0; i < 10; ++i) graph.task({nearfork::inout(last)}, [&last] { ++last; });
    for (int i = 0; i < 10; ++i) graph.task({}, [&] { ++done; });
    graph.sync();
    EXPECT_EQ(last, 10);
  }
  EXPECT_EQ(done, 200);
}

TEST_P(busy_workers, hand_exceptions_back) {
  const busy_call meanwhile(home);
  EXPECT_THROW(home.run([] { throw std::runtime_error("inside"); }), std::runtime_error);
  nearfork::task_group group(home);
  group.spawn([] { throw std::runtime_error("inside"); });
  EXPECT_THROW(group.sync(), std::runtime_error);
}

TEST_P(busy_workers, share_values_of_per_worker_with_nobody) {
  nearfork::per_worker<int> counts(home, 0);
  {
    const busy_call meanwhile(home);
    for (int round = 0; round < 20; ++round)
      home.run([&] { nearfork::parallel_for(0, 100, [&](int) { counts.with([](int& mine) { ++mine; }); }); });
  }
  EXPECT_EQ(counts.combine(std::plus<>()), 2000);
}

TEST_P(busy_workers, have_values_of_their_own_in_each_call) {
  nearfork::per_worker<int> counts(home, 0);
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round)
        home.run([&] { nearfork::parallel_for(0, 100, [&](int) { ++counts.local(); }); });
    });
  for (std::thread& one : callers) one.join();
  EXPECT_EQ(counts.combine(std::plus<>()), 4 * 50 * 100);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), 4 * 50 * 100);
  EXPECT_EQ(static_cast<std::size_t>(std::distance(counts.begin(), counts.end())), counts.size());
}

TEST_P(busy_workers, are_on_the_report) {
  {
    const busy_call meanwhile(home);
    home.run([&] { ++done; });
  }
  const nearfork::run_report report = home.report();
  const auto told = std::ranges::find(report.degradations, "calls from outside were run by further threads",
                                      &nearfork::degradation::what);
  ASSERT_NE(told, report.degradations.end());
  EXPECT_EQ(told->where, "1 call");
}

TEST_P(busy_workers, keep_no_tasks_apart_that_wait_for_each_other) {
  if (home.workers() < 2) GTEST_SKIP() << "two tasks at a time need two workers";
  const busy_call meanwhile(home);
  for (int round = 0; round < 5; ++round) {
    std::atomic<int> met{0};
    const auto meet = [&] {
      ++met;
      while (met < 2) std::this_thread::yield();
    };
    home.run([&] { nearfork::parallel_invoke(meet, meet); });
    EXPECT_EQ(met, 2);
  }
}

/// Whether the calling thread may run on another PU than `one`.
bool may_leave_pu(int one) {
  cpu_set_t mask;
  if (::sched_getaffinity(0, sizeof mask, &mask) != 0) return false;
  CPU_CLR(one, &mask);
  return CPU_COUNT(&mask) > 0;
}

TEST_P(busy_workers, leave_further_ones_unbound_where_the_caller_is_bound) {
  if (home.workers() < 2 || !may_leave_pu(::sched_getcpu())) GTEST_SKIP() << "needs two PUs, and two workers";
  const busy_call meanwhile(home);
  std::atomic<bool> is_elsewhere{false};
  std::thread([&] {
    const int here = ::sched_getcpu();
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(here, &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    std::atomic<int> met{0};
    const auto meet = [&] {
      if (may_leave_pu(here)) is_elsewhere = true;
      ++met;
      while (met < 2) std::this_thread::yield();
    };
    home.run([&] { nearfork::parallel_invoke(meet, meet); });
    EXPECT_FALSE(may_leave_pu(here));
  }).join();
  EXPECT_TRUE(is_elsewhere);
}

/// Workers that are still on their way do not count as busy.
TEST_P(busy_workers, are_not_those_that_a_runtime_has_just_started) {
  for (int round = 0; round < 20; ++round) {
    nearfork::runtime made(with_workers(GetParam()));
    for (int i = 0; i < 6; ++i) made.run([] {});
    for (const nearfork::degradation& one : made.report().degradations)
      EXPECT_NE(one.what, "calls from outside were run by further threads");
  }
}

/// Where there are regions, such calls wait for some milliseconds before they go elsewhere.
TEST_P(busy_workers, keep_no_call_waiting_for_long_in_programs_with_regions) {
  home.run([] { nearfork::region("some", [] {}); });
  const busy_call meanwhile(home);
  for (int round = 0; round < 5; ++round) home.run([&] { nearfork::parallel_for(0, 10, [&](int) { ++done; }); });
  EXPECT_EQ(done, 50);
}

/// A sync() whose tasks run waits where they are.
TEST_P(busy_workers, that_run_tasks_of_a_group_are_waited_for) {
  nearfork::task_group group(home);
  std::atomic<bool> may_end{false};
  for (unsigned i = 0; i < home.workers(); ++i)
    group.spawn([&] {
      while (!may_end) std::this_thread::yield();
      ++done;
    });
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    may_end = true;
  });
  group.sync();
  EXPECT_EQ(done, static_cast<int>(home.workers()));
  later.join();
}

}  // namespace

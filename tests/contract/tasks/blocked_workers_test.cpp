// Tasks that wait for threads of the program, which call the runtime: once all workers wait so, others run the calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <latch>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <nearfork/dataflow.hpp>
#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::test::with_workers;

/// More than there are workers.
constexpr int tasks = 6;

void join_in_each_task(nearfork::runtime& in, const std::function<void()>& what) {
  in.run([&] { nearfork::parallel_for(0, tasks, [&](int) { std::thread(what).join(); }); });
}

class blocked_workers : public testing::TestWithParam<unsigned> {
 protected:
  nearfork::runtime home{with_workers(GetParam())};
  std::atomic<int> done{0};
};

TEST_P(blocked_workers, have_calls_of_their_runtime_run) {
  join_in_each_task(home, [&] { home.run([&] { nearfork::parallel_for(0, 100, [&](int) { ++done; }); }); });
  EXPECT_EQ(done, tasks * 100);
}

TEST_P(blocked_workers, have_calls_inside_such_calls_run) {
  join_in_each_task(home, [&] {
    home.run([&] {
      EXPECT_EQ(nearfork::this_runtime::current(), &home);
      home.run([&] { ++done; });
      nearfork::task_group group(home);
      group.spawn([&] { ++done; });
      group.sync();
      EXPECT_EQ(nearfork::async(home, [] { return 7; }).get(), 7);
    });
  });
  EXPECT_EQ(done, tasks * 2);
}

TEST_P(blocked_workers, have_groups_of_such_threads_run) {
  join_in_each_task(home, [&] {
    nearfork::task_group group(home);
    for (int i = 0; i < 100; ++i) group.spawn([&] { ++done; });
    group.sync();
  });
  EXPECT_EQ(done, tasks * 100);
}

TEST_P(blocked_workers, have_futures_of_such_threads_come_true) {
  join_in_each_task(home, [&] { done += nearfork::async(home, [] { return 7; }).get(); });
  EXPECT_EQ(done, tasks * 7);
}

TEST_P(blocked_workers, hand_exceptions_back) {
  join_in_each_task(home, [&] {
    EXPECT_THROW(home.run([] { throw std::runtime_error("inside"); }), std::runtime_error);
    ++done;
  });
  EXPECT_EQ(done, tasks);
}

TEST_P(blocked_workers, share_values_of_per_worker_with_nobody) {
  nearfork::per_worker<int> counts(home, 0);
  join_in_each_task(home, [&] {
    home.run([&] { nearfork::parallel_for(0, 1000, [&](int) { counts.with([](int& mine) { ++mine; }); }); });
  });
  EXPECT_EQ(counts.combine(std::plus<>()), tasks * 1000);
}

/// As deep as `levels`: what the relief's workers wait for is run by its own relief.
void join_in_tasks_of_threads(nearfork::runtime& in, std::atomic<int>& leaves, int levels) {
  if (levels == 0) {
    ++leaves;
    return;
  }
  in.run([&] {
    nearfork::parallel_for(0, 3,
                           [&](int) { std::thread([&] { join_in_tasks_of_threads(in, leaves, levels - 1); }).join(); });
  });
}

TEST_P(blocked_workers, may_be_blocked_again_in_what_they_wait_for) {
  join_in_tasks_of_threads(home, done, 3);
  EXPECT_EQ(done, 27);
}

TEST_P(blocked_workers, are_on_the_report) {
  const auto all = static_cast<int>(home.workers());
  std::latch begun(all);  // so that no worker is left for the calls
  home.run([&] {
    nearfork::parallel_for(0, all, [&](int) {
      begun.arrive_and_wait();
      std::thread([&] { home.run([&] { ++done; }); }).join();
    });
  });
  const nearfork::run_report report = home.report();
  const auto told = std::ranges::find(report.degradations, "calls from outside were run by further threads",
                                      &nearfork::degradation::what);
  ASSERT_NE(told, report.degradations.end());
  EXPECT_NE(told->why.find("all " + std::to_string(home.workers())), std::string::npos) << told->why;
}

TEST_P(blocked_workers, go_on_as_usual_afterwards) {
  join_in_each_task(home, [&] { home.run([&] { ++done; }); });
  std::vector<int> numbers(100'000);
  std::iota(numbers.begin(), numbers.end(), 0);
  for (int round = 0; round < 20; ++round)
    home.run([&] { nearfork::parallel_for_each(numbers, [](int& each) { ++each; }); });
  EXPECT_EQ(numbers.back(), 99'999 + 20);
}

INSTANTIATE_TEST_SUITE_P(of, blocked_workers, testing::Values(1, 2, 3));

TEST(blocked_workers_of_the_process, have_graphs_of_such_threads_run) {
  std::atomic<int> done{0};
  nearfork::parallel_for(0, tasks, [&](int) {
    std::thread([&] {
      nearfork::dataflow graph;
      std::vector<int> cells(10);
      for (int i = 0; i < 100; ++i)
        graph.task({nearfork::inout(std::span(&cells[static_cast<std::size_t>(i % 10)], 1))},
                   [&](std::span<int> cell) { ++done, ++cell[0]; });
      graph.sync();
      EXPECT_EQ(cells, std::vector<int>(10, 10));
    }).join();
  });
  EXPECT_EQ(done, tasks * 100);
}

// An attached thread keeps a worker's place while it waits for something that is not nearfork's.
TEST(blocked_workers_of_the_process, may_be_places_that_attached_threads_keep) {
  nearfork::config settings = with_workers(1);
  settings.policy = "random";  // others lend the place between calls
  nearfork::runtime home(settings);
  std::atomic<int> done{0};
  const nearfork::attachment here(home);
  home.run([&] { ++done; });
  std::thread([&] { home.run([&] { ++done; }); }).join();
  EXPECT_EQ(done, 2);
}

/// A plan sends children to domains. Where all workers of one wait for a thread that waits for these children, others
/// run them.
TEST(blocked_workers_of_a_domain, have_what_a_plan_sends_them_run) {
  for (const char* const policy : {"laws", "saws", "acab"}) {
    auto settings = with_workers(3);
    settings.machine = "package:1 l3:8 core:1 pu:1";
    settings.policy = policy;
    nearfork::runtime planned(settings);
    std::atomic<int> done{0};
    const auto work = [&] {
      nearfork::region("planned", [&] {
        nearfork::parallel_for(0, 16, [&](int) { nearfork::parallel_for(0, 3, [&](int) { ++done; }, {.grain = 1}); },
                               {.grain = 1});
      });
    };
    const auto wait_for_thread = [&] {
      std::thread([&] {
        nearfork::task_group group(planned);
        for (int i = 0; i < 4; ++i) group.spawn(work);
        group.sync();
      }).join();
    };
    for (int round = 0; round < 10; ++round)
      planned.run([&] { nearfork::fork_join(wait_for_thread, work, wait_for_thread); });
    EXPECT_EQ(done, 10 * 9 * 16 * 3) << policy;
  }
}

/// The thread that a task waits for calls another runtime, a task of which calls the first one.
TEST(blocked_workers_of_one_runtime, are_relieved_for_calls_of_another) {
  nearfork::runtime first(with_workers(1));
  nearfork::runtime second(with_workers(2));
  std::atomic<int> done{0};
  const auto call_first = [&] { nearfork::parallel_for(0, 4, [&](int) { first.run([&] { ++done; }); }, {.grain = 1}); };
  for (int round = 0; round < 5; ++round)
    first.run([&] { std::thread([&] { nearfork::async(second, call_first).get(); }).join(); });
  EXPECT_EQ(done, 20);
}

/// The thread works for the other runtime itself, or waits for it in a way of its own.
TEST(blocked_workers_of_one_runtime, are_relieved_by_those_that_sleep_in_another) {
  nearfork::runtime first(with_workers(1));
  nearfork::runtime second(with_workers(2));
  std::atomic<int> done{0};
  const auto call_first = [&] { first.run([&] { ++done; }); };
  const auto call_second = [&] { second.run(call_first); };
  const auto await_second = [&] {
    std::latch is_over(1);
    auto future = nearfork::async(second, [&] {
      call_first();
      is_over.count_down();
    });
    is_over.wait();
    future.get();
  };
  for (int round = 0; round < 3; ++round) {
    first.run([&] { std::thread(call_second).join(); });
    first.run([&] { std::thread(await_second).join(); });
  }
  EXPECT_EQ(done, 6);
}

}  // namespace

#include "runtime/webs/ready_tasks.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <optional>
#include <random>
#include <vector>

#include <nearfork/call_site.hpp>

#include "runtime/webs/nested_scope.hpp"

namespace nearfork {
namespace {

using turn = ready_tasks::turn;

class ready_tasks_test : public testing::Test {
 protected:
  void add(turn when, std::uint8_t priority = 0) {
    detail::dataflow_task& made = tasks_.emplace_back(call_site("ready_tasks_test.cpp", 1));
    made.place = static_cast<std::uint32_t>(tasks_.size() - 1);
    made.priority = priority;
    ready_.add(made, when);
  }
  void add_many(std::size_t count, turn when = turn::last) {
    for (std::size_t i = 0; i < count; ++i) add(when);
  }
  /// Its number in the order in which all were added.
  std::optional<std::uint32_t> take(std::uint32_t worker, std::uint32_t of) {
    const detail::dataflow_task* const taken = ready_.take({.number = worker, .of = of});
    if (taken == nullptr) return std::nullopt;
    return taken->place;
  }
  std::vector<std::uint32_t> take_many(std::size_t count, std::uint32_t worker, std::uint32_t of) {
    std::vector<std::uint32_t> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(take(worker, of).value_or(~0U));
    return all;
  }
  static std::vector<std::uint32_t> numbers(std::uint32_t first, std::uint32_t end) {
    std::vector<std::uint32_t> all;
    for (std::uint32_t i = first; i < end; ++i) all.push_back(i);
    return all;
  }

  ready_tasks ready_;
  std::deque<end_task> tasks_;
};

TEST_F(ready_tasks_test, one_worker_takes_what_was_made_ready_last_and_then_what_was_added_first) {
  add_many(40);
  EXPECT_EQ(take_many(2, 0, 1), numbers(0, 2));
  add(turn::next);
  add(turn::next);
  EXPECT_EQ(ready_.count(), 40U);
  EXPECT_EQ(take_many(3, 0, 1), (std::vector<std::uint32_t>{41, 40, 2}));
  EXPECT_EQ(take_many(37, 0, 1), numbers(3, 40));
  EXPECT_EQ(take(0, 1), std::nullopt);
  EXPECT_FALSE(ready_.has_some());
}

TEST_F(ready_tasks_test, workers_take_runs_of_neighbours) {
  add_many(64);
  std::vector<std::vector<std::uint32_t>> taken(2);
  for (std::size_t i = 0; i < 12; ++i)
    for (std::uint32_t worker : {0U, 1U}) taken[worker].push_back(take(worker, 2).value());
  EXPECT_EQ(taken[0], numbers(0, 12));   // of a run of 16, a quarter of all
  EXPECT_EQ(taken[1], numbers(16, 28));  // a run of 12
  EXPECT_EQ(take(1, 2), 28U);            // its next run
  EXPECT_EQ(take(0, 2), 12U);
}

TEST_F(ready_tasks_test, few_tasks_are_taken_one_by_one) {
  add_many(7);
  for (std::uint32_t i = 0; i < 7; ++i) EXPECT_EQ(take(i % 2, 2), i);
}

TEST_F(ready_tasks_test, a_run_ends_with_the_worker_that_has_nothing_else) {
  add_many(16);
  EXPECT_EQ(take_many(2, 0, 4), numbers(0, 2));  // a run of two
  EXPECT_EQ(take_many(1, 1, 4), numbers(2, 3));
  EXPECT_EQ(take_many(13, 3, 4), numbers(3, 16)) << "all that is left, also of the other workers' runs";
  EXPECT_EQ(take(0, 4), std::nullopt);
}

TEST_F(ready_tasks_test, what_a_task_makes_ready_stays_with_its_worker_while_others_have_more) {
  add_many(32);
  EXPECT_EQ(take(0, 2), 0U);
  EXPECT_EQ(take(1, 2), 8U);
  add_many(3, turn::next);
  EXPECT_EQ(take(0, 2), 34U);
  EXPECT_EQ(take(1, 2), 9U);
  EXPECT_EQ(take_many(3, 0, 2), (std::vector<std::uint32_t>{33, 32, 1}));
}

TEST_F(ready_tasks_test, tasks_of_higher_priority_come_first) {
  ready_.accept_priorities();
  add_many(32);
  EXPECT_EQ(take(0, 2), 0U);
  add(turn::last, 1);
  add(turn::last, 3);
  add(turn::next, 3);
  EXPECT_EQ(take_many(4, 1, 2), (std::vector<std::uint32_t>{34, 33, 32, 8}));
  EXPECT_EQ(take(0, 2), 1U);
}

TEST_F(ready_tasks_test, each_task_is_taken_once_whoever_takes) {
  std::mt19937 random(1);
  for (std::uint32_t workers : {1U, 2U, 3U, 64U}) {
    ready_ = {};
    tasks_.clear();
    ready_.accept_priorities();
    std::vector<bool> taken;
    std::size_t left = 0;
    const auto take_one = [&] {
      const auto one = take(static_cast<std::uint32_t>(random() % workers), workers);
      ASSERT_EQ(one.has_value(), left != 0);
      if (!one) return;
      taken.resize(tasks_.size());
      EXPECT_FALSE(taken[*one]);
      taken[*one] = true;
      --left;
      ASSERT_EQ(ready_.count(), left);
    };
    for (int step = 0; step < 20'000; ++step) {
      if (random() % 1000 < 500) {
        add(random() % 3 == 0 ? turn::next : turn::last, random() % 50 == 0 ? 2 : 0);
        ++left;
      } else {
        take_one();
      }
    }
    while (left != 0 && !HasFatalFailure()) take_one();
    EXPECT_EQ(std::ranges::count(taken, true), static_cast<std::ptrdiff_t>(tasks_.size()));
  }
}

}  // namespace
}  // namespace nearfork

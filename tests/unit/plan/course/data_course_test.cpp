#include "plan/course/data_course.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plan/plans/domain_share.hpp"

namespace nearfork {
namespace {

using borders = std::vector<double>;
const borders half{0, 0.5, 1};
const borders quarter{0, 0.25, 1};
const borders third{0, 0.3, 1};
constexpr std::size_t enough = iteration_digest::most_kept;

plan plan_with(const borders& data, std::uint32_t trial = 0) {
  plan made;
  made.place_data(data);
  made.describe({.trial = trial_id{trial}}, {});
  return made;
}

struct course {
  /// Runs one iteration. Unless `in_place`, pages are left to move.
  data_step pass(const plan& under, std::uint64_t duration_ns, bool moved = false, bool in_place = true) {
    data_step step = data.begin(under);
    data.end({.moved = moved, .in_place = in_place, .duration_ns = duration_ns});
    return step;
  }
  void pass_times(std::size_t times, const plan& under, std::uint64_t duration_ns) {
    for (std::size_t i = 0; i < times; ++i) (void)pass(under, duration_ns);
  }
  /// Runs until another split has just been made. Iterations before that took `before_ns`.
  void split_anew(std::uint64_t before_ns) {
    pass_times(3, plan_with(half), 100);
    pass_times(enough, plan_with(quarter), before_ns);
    EXPECT_EQ(pass(plan_with(quarter), 500, true).parts.borders, quarter);
    (void)pass(plan_with(quarter), 500);
  }
  data_course data;
};

TEST(data_course, leaves_data_alone_that_no_plan_places) {
  course run;
  EXPECT_EQ(run.pass(plan(), 100).act, data_act::leave);
  EXPECT_EQ(run.pass(plan(), 100).act, data_act::leave);
}

TEST(data_course, follows_the_first_plan_at_once) {
  course run;
  const data_step step = run.pass(plan_with(half), 100);
  EXPECT_EQ(step.act, data_act::follow);
  EXPECT_EQ(step.parts.borders, half);
}

TEST(data_course, stays_while_a_plan_says_nothing) {
  course run;
  (void)run.pass(plan_with(half), 100);
  EXPECT_EQ(run.pass(plan(), 100).parts.borders, half);
}

TEST(data_course, does_not_judge_the_first_split) {
  course run;
  (void)run.pass(plan_with(half), 100, true);
  for (int i = 0; i < 30; ++i) EXPECT_EQ(run.pass(plan_with(half), 10'000).act, data_act::follow);
}

TEST(data_course, waits_until_other_borders_have_stayed) {
  course run;
  (void)run.pass(plan_with(half), 100);
  EXPECT_EQ(run.pass(plan_with(quarter), 100).parts.borders, half);
  EXPECT_EQ(run.pass(plan_with(third), 100).parts.borders, half);
  for (std::size_t i = 0; i < enough; ++i) EXPECT_EQ(run.pass(plan_with(quarter), 100).parts.borders, half) << i;
  EXPECT_EQ(run.pass(plan_with(quarter), 100).parts.borders, quarter);
}

// A move that may not pay waits until the region has run for as long as it takes.
TEST(data_course, waits_as_long_as_a_move_takes_that_may_not_pay) {
  data_course run;
  const auto pass = [&](const plan& under, std::uint64_t data_bytes) {
    data_step step = run.begin(under, data_bytes);
    run.end({.duration_ns = 100});
    return step;
  };
  plan other;
  other.place_data({.borders = quarter, .moved_share = 0.5});
  other.describe({.trial = trial_id{1}}, {});
  (void)pass(plan_with(half), 4000);
  std::size_t waited = 0;
  while (pass(other, 4000).parts.borders == half) ++waited;
  EXPECT_EQ(waited, 18U);  // half of 4000 bytes at 0.9 ns, in iterations of 100 ns
  course quick;
  (void)quick.pass(plan_with(half), 100);
  for (std::size_t i = 0; i <= enough; ++i) (void)quick.pass(other, 100);
  EXPECT_EQ(quick.pass(other, 100).parts.borders, quarter) << "without bytes there is nothing to move";
}

// A second look at plain stealing: its plan says nothing of data.
TEST(data_course, goes_on_judging_a_move_after_a_look_aside) {
  course run;
  run.split_anew(100);
  run.pass_times(enough - 1, plan_with(quarter), 200);
  run.pass_times(3, plan(), 50);
  EXPECT_EQ(run.pass(plan_with(quarter), 200).act, data_act::follow);
  EXPECT_EQ(run.pass(plan_with(quarter), 200).act, data_act::take_back);
}

TEST(data_course, leaves_what_took_long_to_move_while_plans_are_only_tried) {
  course run;
  run.pass_times(3, plan_with(half), 100);
  plan dear;
  dear.place_data({.borders = quarter, .moved_share = 0.5});
  run.pass_times(enough + 1, dear, 100);
  EXPECT_EQ(run.pass(dear, 100).parts.borders, quarter);
  run.pass_times(3 * enough, plan_with(half), 100);
  EXPECT_EQ(run.pass(plan_with(half), 100).parts.borders, quarter);
  plan settled = plan_with(half);
  settled.describe({.settled = true}, {});
  run.pass_times(enough, settled, 100);
  EXPECT_EQ(run.pass(settled, 100).parts.borders, half);
}

TEST(data_course, does_not_follow_a_plan_that_changes_all_the_time) {
  course run;
  (void)run.pass(plan_with(half), 100);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(run.pass(plan_with(quarter), 100).parts.borders, half);
    EXPECT_EQ(run.pass(plan_with(third), 100).parts.borders, half);
  }
}

TEST(data_course, undoes_a_move_that_made_iterations_slower) {
  course run;
  run.split_anew(100);
  run.pass_times(enough, plan_with(quarter), 150);
  EXPECT_EQ(run.pass(plan_with(quarter), 150, true, false).act, data_act::take_back);
  EXPECT_EQ(run.pass(plan_with(quarter), 150, true, true).act, data_act::take_back) << "until all is back";
  EXPECT_EQ(run.data.undone(), 1U);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(run.pass(plan_with(quarter), 100).parts.borders, half) << "the same borders are not tried again";
}

TEST(data_course, keeps_a_move_that_made_iterations_faster) {
  course run;
  run.split_anew(100);
  for (int i = 0; i < 30; ++i) EXPECT_EQ(run.pass(plan_with(quarter), 50).parts.borders, quarter);
  EXPECT_EQ(run.data.undone(), 0U);
}

TEST(data_course, keeps_a_move_whose_times_are_within_the_noise) {
  course run;
  (void)run.pass(plan_with(half), 100);
  for (const std::uint64_t ns : {100U, 140U, 120U, 110U, 130U}) (void)run.pass(plan_with(quarter), ns);
  (void)run.pass(plan_with(quarter), 500, true);
  (void)run.pass(plan_with(quarter), 500);
  for (const std::uint64_t ns : {120U, 150U, 110U, 130U, 140U, 120U, 130U})
    EXPECT_EQ(run.pass(plan_with(quarter), ns).act, data_act::follow);
}

TEST(data_course, takes_neither_the_moving_nor_the_next_iteration_for_evidence) {
  course run;
  run.pass_times(1, plan_with(half), 100);
  run.pass_times(enough, plan_with(quarter), 100);
  (void)run.pass(plan_with(quarter), 9'000, true, false);
  (void)run.pass(plan_with(quarter), 9'000, true, true);
  (void)run.pass(plan_with(quarter), 9'000);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(run.pass(plan_with(quarter), 90).act, data_act::follow);
}

TEST(data_course, does_not_judge_a_move_by_another_plans_times) {
  course run;
  run.split_anew(100);
  run.pass_times(2, plan_with(quarter), 150);
  for (int i = 0; i < 30; ++i) EXPECT_EQ(run.pass(plan_with(quarter, 1), 150).act, data_act::follow);
}

TEST(data_course, does_not_judge_where_nothing_was_moved) {
  course run;
  (void)run.pass(plan_with(half), 100);
  run.pass_times(enough + 1, plan_with(quarter), 100);
  for (int i = 0; i < 30; ++i) EXPECT_EQ(run.pass(plan_with(quarter), 200).act, data_act::follow);
}

TEST(data_course, counts_no_iteration_that_is_no_evidence) {
  course run;
  (void)run.pass(plan_with(half), 100);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(run.data.begin(plan_with(quarter)).parts.borders, half);
    run.data.end({});
  }
}

}  // namespace
}  // namespace nearfork

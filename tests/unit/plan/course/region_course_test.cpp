#include "plan/course/region_course.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "plan/policies/laws_policy.hpp"
#include "plan/policies/random_policy.hpp"
#include "unit/plan/crew/machines_for_tests.hpp"
#include "unit/plan/profile/random_tree.hpp"

namespace nearfork {
namespace {

/// Notes the calls. Its plans cut below the root, and are settled after a given number of iterations.
class noting_policy final : public policy {
 public:
  explicit noting_policy(std::uint64_t settles_after, bool turning = false)
      : settles_after_(settles_after), turning_(turning) {}
  std::string_view name() const override { return "noting"; }
  policy_needs needs() const override { return {.pinned_workers = false, .profile = true}; }
  plan first(const machine&, const region_facts&) const override {
    ++firsts;
    return {};
  }
  plan next(const machine&, const profile& measured, const plan&) const override {
    ++nexts;
    plan made(measured.tree(), [](tree_node node) -> placement { return {.subtree_root = node != tree_root}; });
    made.describe(
        {.trial = trial_id{static_cast<std::uint32_t>(nexts)}, .settled = measured.iterations_seen() >= settles_after_},
        {});
    seen = measured.iterations();
    if (turning_) made.turn_back();
    return made;
  }
  bool has_outlived(const machine&, const profile&, const plan&) const override { return outlived; }
  bool regrets(const profile&, const plan&) const override { return regretted; }
  std::optional<double> plain_excess(const profile&, const plan& settled) const override {
    return settled.empty() ? std::nullopt : excess;
  }
  search_order order(const machine&, phase) const override { return {}; }

  bool outlived = false;
  bool regretted = false;
  std::optional<double> excess{};
  mutable int firsts = 0;
  mutable int nexts = 0;
  mutable std::vector<iteration_summary> seen{};

 private:
  std::uint64_t settles_after_;
  bool turning_;
};

constexpr std::uint64_t never = ~std::uint64_t{0};

struct course_of {
  explicit course_of(std::uint64_t settles_after, bool turning = false)
      : how(settles_after, turning), course(where, how, {.name = "region"}) {}

  std::optional<iteration_kind> pass(bool strayed = false, std::uint64_t duration_ns = 100) {
    const std::optional<iteration_kind> begun = course.begin();
    if (!begun) return begun;
    iteration_outcome outcome{.duration_ns = duration_ns, .strayed = strayed};
    if (begun->profiling) {
      outcome.recorded.emplace(regular_tree(2, 1), cost_source::time);
      outcome.recorded->complete();
    }
    course.end(*begun, std::move(outcome));
    return begun;
  }

  machine where = machine_of(2, 2);
  noting_policy how;
  region_course course;
};

constexpr iteration_kind profiled{.profiling = true};
constexpr iteration_kind planned{.planned = true};

TEST(region_course, profiles_once_and_asks_after_each_iteration) {
  course_of run(never);
  EXPECT_EQ(run.pass(), profiled);
  EXPECT_EQ(run.pass(), planned);
  EXPECT_EQ(run.pass(), planned);
  EXPECT_EQ(run.how.firsts, 1);
  EXPECT_EQ(run.how.nexts, 3);
  EXPECT_EQ(run.course.iterations(), 3U);
  EXPECT_EQ(run.course.profiled(), 1U);
  EXPECT_EQ(run.course.planned(), 2U);
}

TEST(region_course, sweeps_back_where_the_iteration_before_swept_forward) {
  course_of run(2, true);
  EXPECT_EQ(run.pass(), profiled);
  std::vector<sweep> ways;
  for (int i = 0; i < 4; ++i) ways.push_back(run.pass().value().first_sweep);
  EXPECT_EQ(ways, (std::vector{sweep::forward, sweep::backward, sweep::forward, sweep::backward}));
}

TEST(region_course, tells_the_policy_what_each_iteration_was) {
  course_of run(never);
  (void)run.pass(false, 500);
  (void)run.pass(false, 300);
  ASSERT_EQ(run.how.seen.size(), 2U);
  EXPECT_TRUE(run.how.seen[0].profiled);
  EXPECT_FALSE(run.how.seen[0].planned);
  EXPECT_EQ(run.how.seen[0].duration_ns, 500U);
  EXPECT_TRUE(run.how.seen[1].planned);
  EXPECT_EQ(run.how.seen[1].duration_ns, 300U);
  EXPECT_EQ(run.how.seen[1].trial, trial_id{1});
}

TEST(region_course, passes_on_what_was_counted_and_nothing_else) {
  course_of run(never);
  (void)run.pass();
  const auto begun = run.course.begin();
  ASSERT_TRUE(begun);
  run.course.end(*begun, {.duration_ns = 100,
                          .steals_between_domains = 3,
                          .wait_ns_of_domain = {7, 8},
                          .traffic_bytes_of_node = {64, 128}});
  ASSERT_EQ(run.how.seen.size(), 2U);
  EXPECT_EQ(run.how.seen[0].steals_between_domains, std::nullopt) << "not counted is not 0";
  EXPECT_TRUE(run.how.seen[0].wait_ns_of_domain.empty());
  EXPECT_EQ(run.how.seen[1].steals_between_domains, 3U);
  EXPECT_EQ(run.how.seen[1].wait_ns_of_domain, (std::vector<std::uint64_t>{7, 8}));
  EXPECT_EQ(run.how.seen[1].traffic_bytes_of_node, (std::vector<std::uint64_t>{64, 128}));
}

TEST(region_course, marks_iterations_that_follow_another_sort) {
  course_of run(3);
  for (int i = 0; i < 5; ++i) (void)run.pass();
  ASSERT_EQ(run.how.seen.size(), 3U) << "the plan is settled then";
  EXPECT_TRUE(run.how.seen[0].transition);
  EXPECT_TRUE(run.how.seen[1].transition) << "the first under a plan";
  EXPECT_TRUE(run.how.seen[2].transition) << "each of these plans is of another level";
}

TEST(region_course, counts_further_iterations_under_a_plan) {
  const machine where = machine_of(2, 2);
  const laws_policy how(laws_policy::subtrees::packed);
  region_course course(where, how, {.name = "region"});
  const auto pass = [&] {
    const auto begun = course.begin();
    iteration_outcome outcome{.duration_ns = 100};
    if (begun->profiling) {
      outcome.recorded.emplace(regular_tree(2, 3), cost_source::time);
      outcome.recorded->complete();
    }
    course.end(*begun, std::move(outcome));
  };
  pass();
  pass();
  EXPECT_TRUE(course.in_force().why().trials.empty()) << "the first one does not count";
  pass();
  ASSERT_EQ(course.in_force().why().trials.size(), 1U);
  EXPECT_EQ(course.in_force().why().trials[0].iterations, 1U);
}

TEST(region_course, does_not_ask_once_the_plan_is_settled) {
  course_of run(2);
  for (int i = 0; i < 10; ++i) (void)run.pass();
  EXPECT_EQ(run.how.nexts, 2);
  EXPECT_EQ(run.course.planned(), 9U);
}

TEST(region_course, searches_anew_where_a_plan_has_outlived_itself_each_time_after_a_longer_wait) {
  course_of run(2);
  const auto pass = [&](int times) {
    for (; times > 0; --times) (void)run.pass();
  };
  pass(2);
  EXPECT_EQ(run.how.nexts, 2);
  pass(100);
  EXPECT_EQ(run.how.nexts, 2) << "nothing has changed";
  run.how.outlived = true;
  pass(1);
  EXPECT_EQ(run.how.nexts, 3);
  EXPECT_TRUE(run.course.in_force().standing().settled);
  pass(63);
  EXPECT_EQ(run.how.nexts, 3);
  pass(1);
  EXPECT_EQ(run.how.nexts, 4);
  EXPECT_EQ(run.course.profiled(), 1U) << "the tree is the same";
}

TEST(region_course, searches_anew_soon_where_a_plan_is_regretted) {
  course_of run(2);
  run.how.regretted = true;
  const auto pass = [&](int times) {
    for (; times > 0; --times) (void)run.pass();
  };
  pass(2 + 11);
  EXPECT_EQ(run.how.nexts, 2);
  pass(1);
  EXPECT_EQ(run.how.nexts, 3);
  pass(23);
  EXPECT_EQ(run.how.nexts, 3);
  pass(1);
  EXPECT_EQ(run.how.nexts, 4);
}

constexpr iteration_kind plain{};

/// Runs until the settled plan, which takes 100 ns, is compared with plain stealing once more.
void pass_until_second_look(course_of& run) {
  run.how.excess = 0.01;
  for (int i = 0; i < 2 + 36; ++i) EXPECT_NE(run.pass(), plain) << i;
  EXPECT_EQ(run.course.in_force().why().decision, plan_decision::trying_plain);
  EXPECT_FALSE(run.course.in_force().standing().settled);
}

TEST(region_course, looks_at_plain_stealing_once_more_and_keeps_the_plan_if_that_is_no_faster) {
  course_of run(2);
  pass_until_second_look(run);
  for (int i = 0; i < 19; ++i) EXPECT_EQ(run.pass(), plain) << i;
  for (int i = 0; i < 36; ++i) EXPECT_EQ(run.pass(), planned) << i;
  EXPECT_EQ(run.pass(), plain) << "again, after twice the time";
  EXPECT_EQ(run.how.nexts, 2) << "no search";
}

TEST(region_course, stays_plain_if_that_turns_out_faster) {
  course_of run(2);
  pass_until_second_look(run);
  for (int i = 0; i < 19; ++i) EXPECT_EQ(run.pass(false, 90), plain) << i;
  EXPECT_TRUE(run.course.in_force().standing().settled);
  EXPECT_TRUE(run.course.in_force().empty());
  for (int i = 0; i < 200; ++i) EXPECT_FALSE(run.pass(false, 200)) << "nothing is left to learn";
}

TEST(region_course, counts_no_iteration_of_a_second_look_before_which_data_moved) {
  course_of run(2);
  pass_until_second_look(run);
  for (int i = 0; i < 20; ++i) {
    const std::optional<iteration_kind> begun = run.course.begin();
    EXPECT_EQ(begun, plain);
    run.course.end(*begun, {.duration_ns = 90, .moved_data = true});
  }
  for (int i = 0; i < 19; ++i) EXPECT_EQ(run.pass(), plain) << i;
  EXPECT_EQ(run.pass(), planned);
}

TEST(region_course, counts_anew_how_long_a_plan_has_been_settled_once_data_have_moved) {
  course_of run(2);
  run.how.outlived = true;
  for (int i = 0; i < 2 + 31; ++i) (void)run.pass();
  run.course.end(run.course.begin().value(), {.duration_ns = 100, .moved_data = true});
  for (int i = 0; i < 31; ++i) (void)run.pass();
  EXPECT_EQ(run.how.nexts, 2);
  (void)run.pass();
  EXPECT_EQ(run.how.nexts, 3);
}

TEST(region_course, searches_for_clocks_once_it_has_its_plan) {
  const machine where = machine_of(2, 2);
  noting_policy how(3);
  region_course course(where, how, {.name = "region"}, {.goal = run_goal::energy, .least = 12});
  std::vector<int> steps;
  for (int i = 0; i < 30; ++i) {
    const std::optional<iteration_kind> begun = course.begin();
    ASSERT_TRUE(begun);
    steps.push_back(begun->clocks);
    iteration_outcome outcome{.duration_ns = 100, .energy_nj = begun->clocks};
    if (begun->profiling) {
      outcome.recorded.emplace(regular_tree(2, 1), cost_source::time);
      outcome.recorded->complete();
    }
    course.end(*begun, std::move(outcome));
  }
  std::vector<int> expected(4, 16);        // profiled, and two planned until the plan is settled; then
  expected.insert(expected.end(), 5, 16);  // five that count, after a first one
  expected.insert(expected.end(), 6, 14);
  expected.insert(expected.end(), 15, 12);  // it is the least
  EXPECT_EQ(steps, expected);
  EXPECT_TRUE(course.clocks().settled());
}

TEST(region_course, searches_for_clocks_also_where_nothing_is_planned) {
  const machine where = machine_of(2, 2);
  const random_policy how(random_policy::workers::pinned);
  region_course course(where, how, {.name = "region"}, {.goal = run_goal::energy, .least = 12});
  for (int i = 0; i < 30; ++i) {
    const std::optional<iteration_kind> begun = course.begin();
    ASSERT_TRUE(begun);
    EXPECT_FALSE(begun->planned);
    course.end(*begun, {.duration_ns = 100, .energy_nj = begun->clocks});
  }
  EXPECT_EQ(course.clocks().step(), 12);
}

TEST(region_course, leaves_regions_alone_whose_policy_wants_nothing) {
  const machine where = machine_of(2, 2);
  const random_policy how(random_policy::workers::pinned);
  region_course course(where, how, {.name = "region"});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(course.begin(), std::nullopt);
  EXPECT_EQ(course.iterations(), 3U);
}

TEST(region_course, runs_what_overlaps_plainly) {
  course_of run(never);
  const auto begun = run.course.begin();
  EXPECT_EQ(begun, profiled);
  EXPECT_EQ(run.course.begin(), std::nullopt);
  EXPECT_EQ(run.course.profiled(), 1U);
  run.course.abandon();
  EXPECT_EQ(run.pass(), profiled) << "what was abandoned has told nothing";
}

TEST(region_course, profiles_anew_when_the_tree_has_another_shape) {
  course_of run(2);
  (void)run.pass();
  (void)run.pass();
  for (std::uint64_t i = 0; i < profiling_schedule::least_patience; ++i) EXPECT_EQ(run.pass(true), planned);
  EXPECT_EQ(run.how.firsts, 2);
  EXPECT_EQ(run.pass(), profiled);
  EXPECT_EQ(run.pass(), planned);
}

}  // namespace
}  // namespace nearfork

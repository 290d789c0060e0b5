#include "tools/sim/campaign.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <nearfork/error.hpp>

#include "tools/sim/results/summary.hpp"

namespace nearfork::tools {
namespace {

class campaigns : public testing::Test {
 protected:
  simulated_machine where_ = machine_to_simulate("package:2 [numa] l3:1(size=256KiB) l1:2(size=16KiB) core:1 pu:1");
  sim::program what_ = sim::regular_grid({.rows = 64, .row_bytes = 2048, .leaf_rows = 8, .halo_rows = 1});

  [[nodiscard]] std::vector<simulation_job> jobs(std::size_t iterations, early_end ends = {}) const {
    std::vector<simulation_job> made;
    for (const char* const policy : {"random", "acab", "laws", "auto"})
      made.push_back({.title = policy,
                      .what = &what_,
                      .where = &where_,
                      .policy = policy,
                      .iterations = iterations,
                      .ends = ends});
    return made;
  }
};

TEST_F(campaigns, give_the_same_whatever_the_number_of_threads) {
  const auto alone = simulate_all(jobs(20), 1);
  const auto together = simulate_all(jobs(20), 3);
  ASSERT_EQ(alone.size(), 4U);
  ASSERT_EQ(together.size(), 4U);
  for (std::size_t i = 0; i < alone.size(); ++i) {
    EXPECT_EQ(alone[i].policy, together[i].policy);
    EXPECT_EQ(alone[i].run.iterations, together[i].run.iterations);
  }
}

TEST_F(campaigns, tell_how_far_they_are_up_to_the_end) {
  double done = 0;
  (void)simulate_all(jobs(10, {.steady_iterations = 2}), 2, [&](const campaign_progress& now) {
    EXPECT_GE(now.done, done);
    done = now.done;
  });
  EXPECT_DOUBLE_EQ(done, 1);
}

TEST_F(campaigns, end_early_once_enough_iterations_are_steady) {
  const auto outcomes = simulate_all(jobs(60, {.steady_iterations = 4}), 1);
  for (const simulation_outcome& one : outcomes) {
    EXPECT_LT(one.run.iterations.size(), 60U) << one.policy;
    EXPECT_EQ(one.wanted_iterations, 60U);
    const std::size_t from = steady_from(one.run.iterations);
    for (std::size_t i = from; i < one.run.iterations.size(); ++i) EXPECT_TRUE(one.run.iterations[i].steady());
    EXPECT_EQ(one.run.iterations.size() - from, 3U) << "the first steady one finds other caches";
    EXPECT_EQ(summarize(one).steady, 3U);
  }
  EXPECT_EQ(outcomes.front().run.iterations.size(), 5U) << "random has nothing to try; the very first places pages";
}

TEST_F(campaigns, stop_when_told_and_keep_what_is_done) {
  double done = 0;
  const auto outcomes =
      simulate_all(jobs(20), 1, [&](const campaign_progress& now) { done = now.done; }, [&] { return done >= 0.3; });
  EXPECT_FALSE(outcomes[0].run.interrupted);
  EXPECT_EQ(outcomes[0].run.iterations, simulate_all(jobs(20), 1)[0].run.iterations);
  EXPECT_TRUE(outcomes[1].run.interrupted);
  EXPECT_LT(outcomes[1].run.iterations.size(), 20U);
  EXPECT_TRUE(outcomes[2].run.interrupted);
  EXPECT_EQ(outcomes[2].policy, "laws");
  EXPECT_EQ(outcomes[2].wanted_iterations, 20U);
  EXPECT_EQ(outcomes[2].run.iterations.size(), 0U);
  EXPECT_LT(done, 0.5);
}

TEST_F(campaigns, throw_what_a_simulation_throws) {
  auto some = jobs(5);
  some[1].workers = 1000;
  EXPECT_THROW((void)simulate_all(some, 2), error);
  some = jobs(5);
  some[3].policy = "nonsense";
  EXPECT_THROW((void)simulate_all(some, 2), error);
}

sim::iteration_report iteration(std::uint64_t ns, plan_decision decision, bool profiling = false) {
  sim::iteration_report made;
  made.kind.profiling = profiling;
  made.decision = decision;
  made.duration_ps = ns * 1000;
  made.memory.level[0] = {10, 6};
  made.memory.local = ns;
  return made;
}

TEST(simulation_summary, counts_what_was_left_out_as_the_mean_of_the_steady_iterations) {
  simulation_outcome outcome{.policy = "laws", .wanted_iterations = 10, .run = {}};
  using enum plan_decision;
  outcome.run.iterations = {iteration(900, by_rule, true), iteration(300, trying), iteration(500, settled),
                            iteration(100, settled), iteration(120, settled)};
  const simulation_summary made = summarize(outcome);
  EXPECT_TRUE(made.settled);
  EXPECT_EQ(made.simulated, 5U);
  EXPECT_EQ(made.steady, 2U) << "not the one that follows a trial";
  EXPECT_DOUBLE_EQ(made.per_iteration.time_ns, 110);
  EXPECT_DOUBLE_EQ(made.per_iteration.misses[0], 4);
  EXPECT_DOUBLE_EQ(made.total.time_ns, 900 + 300 + 500 + 100 + 120 + 5 * 110);
  // The mean's standard error is 10 ns, and five iterations are extrapolated.
  ASSERT_TRUE(made.extrapolation_error.has_value());
  EXPECT_DOUBLE_EQ(*made.extrapolation_error, 50 / made.total.time_ns);
}

TEST(simulation_summary, of_everything_has_no_extrapolation_error) {
  simulation_outcome outcome{.policy = "random", .wanted_iterations = 2, .run = {}};
  outcome.run.iterations = {iteration(7, plan_decision::none), iteration(5, plan_decision::none)};
  const simulation_summary made = summarize(outcome);
  EXPECT_FALSE(made.extrapolation_error.has_value());
  EXPECT_DOUBLE_EQ(made.total.time_ns, 12);
  EXPECT_DOUBLE_EQ(made.per_iteration.time_ns, 5) << "in the very first, pages find their nodes";
}

TEST(simulation_summary, takes_the_second_half_where_trials_had_no_end) {
  simulation_outcome outcome{.policy = "laws", .wanted_iterations = 4, .run = {}};
  for (const std::uint64_t ns : {100U, 100U, 20U, 40U})
    outcome.run.iterations.push_back(iteration(ns, plan_decision::trying));
  const simulation_summary made = summarize(outcome);
  EXPECT_FALSE(made.settled);
  EXPECT_DOUBLE_EQ(made.per_iteration.time_ns, 30);
}

TEST(simulation_summary, gain_is_the_part_of_the_time_that_is_saved) {
  EXPECT_DOUBLE_EQ(gain_over(200, 150), 0.25);
  EXPECT_DOUBLE_EQ(gain_over(200, 300), -0.5);
  EXPECT_DOUBLE_EQ(gain_over(0, 1), 0);
}

TEST(campaign_line, guesses_the_time_left) {
  EXPECT_EQ(progress_text({"heat under laws", 0}, 3), "simulating heat under laws: 0%");
  EXPECT_EQ(progress_text({"heat under laws", 0.25}, 3), "simulating heat under laws: 25%, about 9 s left");
}

}  // namespace
}  // namespace nearfork::tools

// The one sentence that a study ends with, from answers made by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tools/sim/what_if.hpp"

namespace {

using namespace nearfork::tools;
using testing::HasSubstr;
using testing::Not;

spread between(double least, double most, std::size_t count) {
  return {.least = least, .middle = (least + most) / 2, .most = most, .count = count};
}

machine_answer answer_with(policy_answer one) {
  return {.machine = "opteron-8380", .workers = 16, .policies = {std::move(one)}, .sweep = {}};
}

TEST(expectation, names_the_range_of_several_seeds) {
  const auto answer = answer_with({.policy = "laws",
                                   .time_ns = between(50'000, 60'000, 5),
                                   .gain = {},
                                   .speed_up = between(1.5, 2.5, 5),
                                   .of_runs = {},
                                   .gain_of_runs = {}});
  EXPECT_THAT(expectation_of(answer), HasSubstr("2.00x as fast as recorded (1.50x to 2.50x over 5 seeds)"));
}

TEST(expectation, is_doubtful_where_the_recorded_run_is_not_simulated_right) {
  auto answer = answer_with({.policy = "random",
                             .time_ns = between(438, 438, 1),
                             .gain = {},
                             .speed_up = between(247.6, 247.6, 1),
                             .of_runs = {},
                             .gain_of_runs = {}});
  EXPECT_THAT(expectation_of(answer), Not(HasSubstr("doubtful")));
  answer.doubt = 0.02;
  EXPECT_THAT(expectation_of(answer),
              HasSubstr("as fast as recorded, which is doubtful: simulated as it was recorded"));
}

TEST(expectation, says_nothing_of_seeds_that_agree) {
  const auto answer = answer_with({.policy = "laws",
                                   .time_ns = between(50'000, 50'000, 5),
                                   .gain = {},
                                   .speed_up = between(2, 2.001, 5),
                                   .of_runs = {},
                                   .gain_of_runs = {}});
  EXPECT_THAT(expectation_of(answer), Not(HasSubstr("seeds")));
}

TEST(expectation, says_of_recordings_that_they_agree) {
  const auto answer = answer_with({.policy = "laws",
                                   .time_ns = between(50'000, 50'000, 1),
                                   .gain = {},
                                   .speed_up = between(2, 2, 1),
                                   .of_runs = between(2, 2.001, 2),
                                   .gain_of_runs = {}});
  EXPECT_THAT(expectation_of(answer), HasSubstr("2.00x as fast as recorded (2.00x over 2 recordings)"));
}

machine_answer answer_with_sweep(std::vector<sweep_point> sweep) {
  machine_answer made = answer_with({.policy = "random",
                                     .time_ns = between(26'000, 26'000, 1),
                                     .gain = {},
                                     .speed_up = {},
                                     .of_runs = {},
                                     .gain_of_runs = {}});
  made.policies.push_back(made.policies.front());
  made.policies.back().policy = "laws";
  made.sweep = std::move(sweep);
  return made;
}

TEST(expectation, says_how_much_faster_fewer_workers_are) {
  EXPECT_THAT(expectation_of(answer_with_sweep({{1, {90'000, 90'000}}, {4, {10'000, 11'000}}, {16, {26'000, 26'000}}})),
              HasSubstr("; 4 workers would be 2.60x as fast as that."));
  EXPECT_THAT(expectation_of(answer_with_sweep({{1, {90'000, 90'000}}, {4, {20'000, 10'000}}, {16, {26'000, 26'000}}})),
              HasSubstr("; 4 workers under laws would be 2.60x as fast as that."));
  EXPECT_THAT(expectation_of(answer_with_sweep({{1, {90'000, 90'000}}, {4, {26'000, 26'000}}, {16, {26'000, 26'000}}})),
              HasSubstr("; more than 4 workers would gain little."));
  EXPECT_THAT(expectation_of(answer_with_sweep({{1, {90'000, 90'000}}, {2, {50'000, 50'000}}})),
              HasSubstr("; fewer workers would take longer."))
      << "all 16 take 26 us";
}

TEST(recorded_text, says_which_part_was_waits_for_memory) {
  sim_study study{};
  study.recorded = recorded_facts{.time_ns = 1000, .workers = 2, .policy = "random", .machine = "m"};
  what_if answer{.machines = {}, .here = calibration{.time_ns = 2000.0, .why_not = {}, .same_machine = true}};
  EXPECT_THAT(recorded_text(study, answer), testing::AllOf(HasSubstr("far off"), Not(HasSubstr("waits"))));
  study.waits = memory_waits{.machine = "box", .part_of_work = 0.42};
  EXPECT_THAT(recorded_text(study, answer),
              HasSubstr("42% of the recorded work is waits for memory, as simulated on box"));
  study.waits->why_not = "its policy p is not simulated";
  EXPECT_THAT(recorded_text(study, answer), HasSubstr("is not known: its policy p is not simulated."));
}

}  // namespace

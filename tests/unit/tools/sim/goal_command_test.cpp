// `nearfork sim --goal` as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "unit/tools/command_run.hpp"

namespace {

using testing::AllOf;
using testing::HasSubstr;

command_run::ending sim_for_goal(const std::string& arguments) {
  return command_run::run_command(
      "-u NEARFORK_MACHINE", NEARFORK_COMMAND " sim heat --size rows=512,columns=512 --iterations 90 " + arguments);
}

TEST(goal_command, lowers_clocks_and_says_what_that_gains) {
  const auto shown = sim_for_goal("--machine xeon-x7560 --policy random --goal energy --json");
  ASSERT_EQ(shown.status, 0) << shown.output;
  const auto made = nlohmann::json::parse(shown.output);
  EXPECT_EQ(made.at("goal"), "energy");
  const auto clocks = made.at("machines").at(0).at("policies").at(0).at("clocks");
  EXPECT_TRUE(clocks.at("settled"));
  const auto& tried = clocks.at("tried");
  ASSERT_GE(tried.size(), 2U);
  EXPECT_EQ(tried.at(0).at("of_normal"), 1.0);
  for (const auto& one : tried) EXPECT_GT(one.at("energy_j"), 0);
  const auto text = sim_for_goal("--machine xeon-x7560 --policy random --goal edp");
  EXPECT_EQ(text.status, 0);
  EXPECT_THAT(text.output, AllOf(HasSubstr("energy each"), HasSubstr("14/16"), HasSubstr("goal edp: ")));
}

TEST(goal_command, refuses_machines_whose_clocks_are_not_known) {
  const auto refused = sim_for_goal("--machine opteron-8380 --goal energy");
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output, AllOf(HasSubstr("--goal energy"), HasSubstr("opteron-8380"), HasSubstr("core_ghz_min")));
}

}  // namespace

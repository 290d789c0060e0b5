// `nearfork sim --pages` and `--node-capacity` as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "unit/tools/command_run.hpp"

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

command_run::ending sim_of_pages(const std::string& arguments) {
  const std::string two_nodes = "--machine 'package:2 [numa(memory=64MiB)] l3:1(size=256KiB) core:2 pu:1' ";
  return command_run::run_command("-u NEARFORK_MACHINE", NEARFORK_COMMAND
                                                             " sim heat --size rows=256,columns=512 --iterations 6 " +
                                                             two_nodes + arguments);
}

// 1 MiB for each buffer: 512 pages.
TEST(pages_command, tells_where_pages_lie_if_asked) {
  const auto plain = sim_of_pages("--policy random");
  EXPECT_EQ(plain.status, 0) << plain.output;
  EXPECT_THAT(plain.output, Not(HasSubstr("pages of")));
  const auto shown = sim_of_pages("--policy random --pages by-weights:0=1,1=3");
  EXPECT_EQ(shown.status, 0) << shown.output;
  EXPECT_THAT(shown.output, AllOf(HasSubstr("by the rule by-weights:0=1,1=3"), HasSubstr("pages of 4.0 KiB"),
                                  HasSubstr("node 1"), HasSubstr("fell back")));
}

TEST(pages_command, has_all_of_it_in_json) {
  const auto shown = sim_of_pages("--policy random,laws --pages by-weights:0=1,1=3 --json");
  ASSERT_EQ(shown.status, 0) << shown.output;
  const auto made = nlohmann::json::parse(shown.output);
  EXPECT_EQ(made.at("pages"), "by-weights:0=1,1=3");
  for (const auto& run : made.at("machines").at(0).at("policies")) {
    EXPECT_EQ(run.at("pages").at("nodes").at(0).at("pages"), 128);
    EXPECT_EQ(run.at("pages").at("nodes").at(1).at("pages"), 384);
    EXPECT_EQ(run.at("pages").at("moved"), 0);
  }
}

TEST(pages_command, says_by_itself_that_pages_fell_back) {
  const auto shown = sim_of_pages("--policy random --node-capacity 0=1M --json");
  ASSERT_EQ(shown.status, 0) << shown.output;
  const auto pages = nlohmann::json::parse(shown.output).at("machines").at(0).at("policies").at(0).at("pages");
  EXPECT_EQ(pages.at("nodes").at(0).at("pages"), 256);
  EXPECT_EQ(pages.at("nodes").at(1).at("pages"), 256);
  EXPECT_EQ(pages.at("fell_back"), 256);
}

TEST(pages_command, follows_plans_if_asked) {
  const auto local_of = [](const std::string& rule) {
    const auto shown = sim_of_pages("--policy laws --json --pages " + rule);
    const auto each = nlohmann::json::parse(shown.output).at("machines").at(0).at("policies").at(0).at("per_iteration");
    return each.at("local_lines").get<double>() / each.at("remote_lines").get<double>();
  };
  EXPECT_GT(local_of("follow-plan"), 3 * local_of("first-write"));
}

TEST(pages_command, tells_what_was_moved_and_how_long_it_took) {
  const auto shown = sim_of_pages("--policy laws --setup interleaved --pages follow-plan --json");
  ASSERT_EQ(shown.status, 0) << shown.output;
  const auto run = nlohmann::json::parse(shown.output).at("machines").at(0).at("policies").at(0);
  EXPECT_EQ(run.at("pages").at("moved"), 256) << "every second page";
  const double moving_ns = run.at("pages").at("moving_ns");
  EXPECT_GE(moving_ns, 256 * 2500.0);
  double sum = moving_ns;
  for (const auto& each : run.at("iterations")) sum += each.at("time_ns").get<double>();
  EXPECT_NEAR(run.at("total").at("time_ns").get<double>(), sum, 1e-6 * sum);
}

TEST(pages_command, refuses_absurd_sizes_and_wrong_rules) {
  const auto fault = [](const std::string& arguments) {
    const auto shown = sim_of_pages("--policy random " + arguments);
    EXPECT_NE(shown.status, 0) << arguments;
    return shown.output;
  };
  EXPECT_THAT(fault("--node-capacity 256K"), AllOf(HasSubstr("works on at least"), HasSubstr("of memory")));
  EXPECT_THAT(fault("--node-capacity 1=1M --pages bound:1"), HasSubstr("the memory nodes that pages are bound to"));
  EXPECT_THAT(fault("--node-capacity 1"), HasSubstr("has room for a page"));
  EXPECT_THAT(fault("--node-capacity 7=1M"), HasSubstr("has no memory node \"7\""));
  EXPECT_THAT(fault("--node-capacity 0=1M,4M"), HasSubstr("\"4M\" has no size"));
  EXPECT_THAT(fault("--node-capacity 0=4M,0=8M"), HasSubstr("node 0 is named twice"));
  EXPECT_THAT(fault("--node-capacity 9999999999999999999G"), HasSubstr("is no size"));
  EXPECT_THAT(fault("--pages bound:7"), HasSubstr("has no memory node 7; its nodes are 0, 1"));
  EXPECT_THAT(fault("--pages interleave"), HasSubstr("did you mean"));
  EXPECT_THAT(fault("--pages interleaved --setup quarters"), HasSubstr("both say where pages lie"));
  EXPECT_THAT(fault("--setup recorded"), HasSubstr("only recordings"));
}

}  // namespace

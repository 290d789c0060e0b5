// `nearfork sim heat-mpi` as a user meets it, beside computation by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "unit/tools/command_run.hpp"

namespace {

using command_run::ending;
using testing::HasSubstr;

ending nearfork(const std::string& arguments) {
  return command_run::run_command("-u NEARFORK_MACHINE", NEARFORK_COMMAND " " + arguments);
}

/// 64 nodes. 1 GB/s: a row of 512 doubles takes 4096 ns.
const std::string heat = "sim heat-mpi --size rows=514,columns=512,iterations=8 --iterations 8 ";
std::string on_cluster(const char* link) {
  return std::string("--machine '64 x package:2 [numa] l3:1(size=256KiB) core:2 pu:1, link ") + link + "' ";
}

nlohmann::json results_of(const std::string& arguments) {
  const ending shown = nearfork(arguments + " --json");
  EXPECT_EQ(shown.status, 0) << shown.output;
  return nlohmann::json::parse(shown.output).at("results");
}

/// All nodes but the outer ones send and receive two rows in each iteration, one after the other.
TEST(cluster_command, strong_scaling_is_that_of_the_hand_computation) {
  for (const char* const link : {"1 GB/s 2 us", "1 GB/s 900 us"}) {
    const double latency_ns = std::string(link).ends_with("900 us") ? 900'000 : 2000;
    const auto rows = results_of(heat + on_cluster(link) + "--nodes 4,16,64");
    ASSERT_EQ(rows.size(), 3U);
    for (const auto& row : rows) {
      const double messages_ns = latency_ns + 2 * 4096;
      const double computing_ns = row.at("computing_ns");
      const double border_ns = row.at("border_ns");
      EXPECT_EQ(row.at("rows_of_rank"), 512 / row.at("nodes").get<int>());
      EXPECT_DOUBLE_EQ(border_ns, computing_ns * 2 / row.at("rows_of_rank").get<double>());
      EXPECT_NEAR(row.at("blocking_ns"), messages_ns + computing_ns, 1) << link;
      EXPECT_NEAR(row.at("suspended_ns"), std::max(messages_ns, computing_ns - border_ns) + border_ns, 1) << link;
    }
  }
}

TEST(cluster_command, one_node_sends_nothing) {
  const auto rows = results_of(heat + on_cluster("1 GB/s 2 us") + "--nodes 1");
  EXPECT_NEAR(rows.at(0).at("blocking_ns"), rows.at(0).at("computing_ns"), 1);
}

TEST(cluster_command, weak_scaling_computes_the_same_on_each_node) {
  const auto rows = results_of(heat + on_cluster("1 GB/s 2 us") + "--scaling weak");
  ASSERT_EQ(rows.size(), 7U) << "powers of two up to 64";
  for (const auto& row : rows) {
    EXPECT_EQ(row.at("rows_of_rank"), 512);
    EXPECT_EQ(row.at("computing_ns"), rows.at(0).at("computing_ns"));
  }
  EXPECT_GT(rows.back().at("suspended_speedup"), 60);
}

TEST(cluster_command, says_that_all_of_it_is_simulated) {
  const ending shown = nearfork(heat + on_cluster("1 GB/s 2 us"));
  EXPECT_EQ(shown.status, 0) << shown.output;
  EXPECT_THAT(shown.output, HasSubstr("All of it is simulated"));
  EXPECT_EQ(shown.output, nearfork(heat + on_cluster("1 GB/s 2 us")).output);
}

TEST(cluster_command, refuses_what_cannot_be) {
  const std::string there = on_cluster("1 GB/s 2 us");
  const auto said = [](const std::string& arguments) {
    const ending shown = nearfork(arguments);
    EXPECT_EQ(shown.status, 1) << arguments << '\n' << shown.output;
    return shown.output;
  };
  EXPECT_THAT(said(heat), HasSubstr("needs one --machine"));
  EXPECT_THAT(said(heat + "--machine opteron-8380"), HasSubstr("names no link"));
  EXPECT_THAT(said(heat + "--machine '2 x no-such-machine, link 1 GB/s 1 us'"), HasSubstr("no-such-machine"));
  EXPECT_THAT(said(heat + there + "--nodes 65"), HasSubstr("1 to 64 nodes"));
  EXPECT_THAT(said("sim heat-mpi --size rows=66,columns=64,iterations=2 " + there), HasSubstr("too few for 32 nodes"));
  EXPECT_THAT(said("sim heat-mpi --size rows=4,columns=64,iterations=2 --scaling weak " + there),
              HasSubstr("2 rows are too few"));
  EXPECT_THAT(said(heat + there + "--html x.html"), HasSubstr("knows no --html"));
  EXPECT_THAT(said("sim heat --size test --nodes 2"), HasSubstr("--nodes is for heat-mpi"));
  EXPECT_THAT(said(heat + there + "--policy lawz"), HasSubstr("lawz"));
}

}  // namespace

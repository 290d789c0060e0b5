// `nearfork sim` and `nearfork reproduce` as a user meets them: status, output, complaints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "unit/tools/command_run.hpp"

namespace {

using testing::AllOf;
using testing::HasSubstr;

using command_run::ending;

ending nearfork(const std::string& arguments) {
  return command_run::run_command("-u NEARFORK_MACHINE", NEARFORK_COMMAND " " + arguments);
}

const std::string opteron = NEARFORK_SOURCE_DIR "/machines/opteron-8380.xml";
const std::string two_sockets = "--machine 'package:2 [numa] l3:1(size=256KiB) core:2 pu:1' ";

TEST(sim_command, says_that_all_of_it_is_simulated) {
  const ending shown = nearfork("sim heat --size test --machine " + opteron);
  EXPECT_EQ(shown.status, 0) << shown.output;
  EXPECT_THAT(shown.output, AllOf(HasSubstr("simulated: heat with rows=67"), HasSubstr("All of it is simulated"),
                                  HasSubstr("16 workers"), HasSubstr("L3 misses"), HasSubstr("laws")));
}

TEST(sim_command, says_what_it_assumes_of_a_machine_without_a_model) {
  const std::string heat = "sim heat --size test --iterations 1 --policy random ";
  EXPECT_THAT(nearfork(heat + two_sockets).output, HasSubstr("assumed 20 GB/s and 90 ns for each memory node"));
  const auto machines =
      nlohmann::json::parse(nearfork(heat + "--json --machine " + opteron + " " + two_sockets).output).at("machines");
  EXPECT_FALSE(machines.at(0).contains("assumed"));
  EXPECT_THAT(machines.at(1).at("assumed").at(0).get<std::string>(), HasSubstr("20 GB/s"));
  const std::string cluster =
      R"(--machine '2 x package:2 [numa] l3:1 core:2 pu:1, link 25 GB/s 1.5 us' --policy random --iterations 1)";
  for (const char* const form : {"", " --json"})
    EXPECT_THAT(nearfork("sim heat-mpi --size test " + cluster + form).output, HasSubstr("assumed 20 GB/s"));
}

TEST(sim_command, names_caches_by_their_levels) {
  const std::string heat =
      "sim heat --size test --iterations 1 --policy random --machine '[numa] l3:1 l2:2 core:1 pu:1' ";
  EXPECT_THAT(nearfork(heat).output,
              AllOf(HasSubstr("L2 misses"), HasSubstr("L3 misses"), testing::Not(HasSubstr("L1 misses"))));
  const auto made = nlohmann::json::parse(nearfork(heat + "--json").output);
  const auto& caches = made.at("machines").at(0).at("policies").at(0).at("per_iteration").at("caches");
  ASSERT_EQ(caches.size(), 2U);
  EXPECT_EQ(caches[0].at("level"), 2);
  EXPECT_EQ(caches[1].at("level"), 3);
  const std::string lines = nearfork(heat + "--csv").output;
  const auto misses = [&](std::size_t i) { return std::to_string(caches[i].at("misses").get<int>()); };
  EXPECT_THAT(lines, HasSubstr(",," + misses(0) + "," + misses(1) + ",,")) << "there is no L1, and no L4";
}

TEST(sim_command, prints_the_same_json_each_time) {
  const std::string line =
      "sim sor-ir --size test --iterations 12 --policy all --json " + two_sockets + "--machine " + opteron;
  const ending one = nearfork(line);
  ASSERT_EQ(one.status, 0) << one.output;
  EXPECT_EQ(one.output, nearfork(line).output);
  const auto made = nlohmann::json::parse(one.output);
  EXPECT_EQ(made.at("simulated"), true);
  ASSERT_EQ(made.at("machines").size(), 2U);
  for (const auto& machine : made.at("machines"))
    for (const auto& run : machine.at("policies")) {
      EXPECT_EQ(run.at("iterations").size(), 12U);
      double sum = 0;
      for (const auto& each : run.at("iterations"))
        sum += each.at("time_ns").get<double>() + each.at("moving_ns").get<double>();
      EXPECT_NEAR(run.at("total").at("time_ns").get<double>(), sum, 1e-6 * sum);
      if (run.at("policy") == "random") {
        EXPECT_DOUBLE_EQ(run.at("gain_over_random").get<double>(), 0);
      }
    }
}

TEST(sim_command, knows_all_among_other_policies) {
  const std::string line = "sim heat --size test --iterations 2 --csv " + two_sockets;
  const ending all = nearfork(line + "--policy all");
  ASSERT_EQ(all.status, 0) << all.output;
  for (const char* const more : {"--policy random,all", "--policy all --policy laws"})
    EXPECT_EQ(nearfork(line + more).output, all.output) << more;
}

TEST(sim_command, sweeps_each_machine_as_far_as_it_has_cores) {
  const ending shown = nearfork("sim heat --size test --iterations 2 --policy random --json --sweep 2,8 " +
                                two_sockets + "--machine " + opteron);
  ASSERT_EQ(shown.status, 0) << shown.output;
  const auto machines = nlohmann::json::parse(shown.output).at("machines");
  EXPECT_EQ(machines.at(0).at("sweep").size(), 1U);
  EXPECT_EQ(machines.at(0).at("sweep_beyond_cores"), nlohmann::json({8}));
  EXPECT_EQ(machines.at(1).at("sweep").size(), 2U);
  EXPECT_TRUE(machines.at(1).at("sweep_beyond_cores").empty());
  const ending text = nearfork("sim heat --size test --iterations 2 --policy random --sweep 2,8 " + two_sockets +
                               "--machine " + opteron);
  EXPECT_THAT(text.output, testing::HasSubstr("Not with 8 workers"));
}

TEST(sim_command, explains_plans) {
  const ending shown = nearfork("sim heat --size test --policy laws --explain " + two_sockets);
  EXPECT_EQ(shown.status, 0) << shown.output;
  EXPECT_THAT(shown.output, AllOf(HasSubstr("subtrees:"), HasSubstr("share of each domain:")));
}

TEST(sim_command, sets_data_up_as_asked) {
  const std::string line = "sim heat --size test --iterations 3 --policy random " + two_sockets;
  for (const std::string name : {"none", "serial", "parallel", "cilk", "quarters", "interleaved"}) {
    const ending shown = nearfork(line + "--setup " + name);
    EXPECT_EQ(shown.status, 0) << shown.output;
    const bool told = shown.output.find("not timed: setup " + name) != std::string::npos;
    EXPECT_EQ(told, name != "none");
  }
  const auto made = nlohmann::json::parse(nearfork(line + "--json").output);
  EXPECT_EQ(made.at("setup"), "serial") << "what the workload does";
  EXPECT_THAT(nearfork("sim fft --size test --setup cilk " + two_sockets).output, HasSubstr("grid programs alone"));
  EXPECT_GE(nearfork(line + "--setup cilks").status, 100);
}

TEST(sim_command, simulates_graph_programs_on_a_graph_from_a_file) {
  const std::string path = testing::TempDir() + "/sim_command_test." + std::to_string(::getpid()) + ".mtx";
  std::ofstream(path) << "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 1\n";
  const std::string line = " --size test --iterations 2 --setup parallel --policy random --graph " + path + " ";
  const ending shown = nearfork("sim components" + line + two_sockets);
  EXPECT_EQ(shown.status, 0) << shown.output;
  EXPECT_THAT(shown.output, HasSubstr("components with node_bytes=40 iterations=3, graph "));
  EXPECT_THAT(shown.output, HasSubstr("(3 nodes, undirected, 2 edges)"));
  EXPECT_THAT(nearfork("sim heat" + line + two_sockets).output, HasSubstr("--graph: heat works on no graph"));
  EXPECT_THAT(nearfork("sim components --size test,nodes=100 --graph " + path + " " + two_sockets).output,
              HasSubstr("nodes is of a graph that is generated, and --graph gives one: leave it out"));
  (void)std::remove(path.c_str());
  EXPECT_THAT(nearfork("sim pagerank" + line + two_sockets).output, HasSubstr("check the path"));
}

TEST(sim_command, simulates_workers_that_never_park) {
  const std::string line = "sim heat --size test --iterations 3 --policy random " + two_sockets;
  const ending shown = nearfork(line + "--never-park");
  EXPECT_EQ(shown.status, 0) << shown.output;
  EXPECT_THAT(shown.output, HasSubstr("none parks"));
  const auto made = nlohmann::json::parse(nearfork(line + "--never-park --json").output);
  EXPECT_EQ(made.at("never_park"), true);
  EXPECT_EQ(nlohmann::json::parse(nearfork(line + "--json").output).at("never_park"), false);
}

TEST(sim_command, says_what_is_wrong_and_what_is_allowed) {
  const auto refused = [](const std::string& arguments, const std::string& because) {
    const ending ended = nearfork("sim " + arguments);
    EXPECT_EQ(ended.status, 1) << arguments << ": " << ended.output;
    EXPECT_THAT(ended.output, HasSubstr(because)) << arguments;
  };
  refused("hat " + two_sockets, "allowed: heat, heat-ir");
  refused("ga " + two_sockets, "allowed: heat");
  refused("heat --policy lows " + two_sockets, "laws");
  refused("heat --machine /no/such.xml", "/no/such.xml");
  refused("heat --machine 'core:0 pu:1'", "nearfork: ");
  refused("heat --size test --machine 'l3:1(size=1TiB) pu:2'", "the largest (level 3) 1024G bytes");
  refused("heat --size rows=0 " + two_sockets, "rows");
  refused("heat --size test --workers 5 " + two_sockets, "has 4 cores");
  refused("heat --size rows=100K,columns=100K --machine 'package:1 [numa(memory=1GiB)] core:1 pu:1'",
          "1.0 GiB of memory");
  refused("fib --size n=50 " + two_sockets, "tasks");
  refused("heat --size test --policy random --sweep 1,5 " + two_sockets, "--sweep 5: ");
  refused("heat --size test --policy all,lows " + two_sockets, "laws");
  refused("./recording " + two_sockets, "the name of a recording ends in .nfg");
}

TEST(sim_command, says_how_many_iterations_can_be_simulated) {
  for (const char* const wrong : {"0", "1000001"}) {
    const ending refused = nearfork("sim heat --size test --iterations " + std::string(wrong) + " " + two_sockets);
    EXPECT_GE(refused.status, 100) << refused.output;
    EXPECT_THAT(refused.output, AllOf(HasSubstr("--iterations: bad value \"" + std::string(wrong) + "\""),
                                      HasSubstr("from 1 to 1000000")));
  }
}

TEST(reproduce_command, knows_five_papers) {
  const ending refused = nearfork("reproduce swas --quick");
  EXPECT_GE(refused.status, 100);
  EXPECT_THAT(refused.output, HasSubstr("a-cab, laws, saws, bats, drebes"));
  EXPECT_GE(nearfork("reproduce").status, 100);
}

TEST(simulating_commands, show_examples_in_their_help) {
  for (const char* const command : {"sim", "reproduce"}) {
    const ending help = nearfork(std::string(command) + " --help");
    EXPECT_EQ(help.status, 0);
    EXPECT_THAT(help.output, HasSubstr(std::string("nearfork ") + command));
  }
}

}  // namespace

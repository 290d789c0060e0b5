// `nearfork sim FILE.nfg` as a user meets it: the recorded time beside the simulated one, spread, sweep, one sentence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "unit/tools/command_run.hpp"

namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using command_run::ending;

ending ask(const std::string& arguments) {
  return command_run::run_command("-u NEARFORK_RECORD -u NEARFORK_MACHINE NEARFORK_WORKERS=2 NEARFORK_PIN=off",
                                  NEARFORK_COMMAND " " + arguments);
}

const std::string of_two_sockets = " --machine 'package:2 [numa] l3:1(size=256KiB) core:4 pu:1'";

class simulated_recording : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder() = fs::temp_directory_path() / ("nearfork-what-if-" + std::to_string(::getpid()));
    fs::create_directories(folder());
    recorded() =
        ask("record -o " + file("g.nfg") + " --runs 2 --keep-all heat --size rows=128,columns=64,iterations=4");
  }
  static void TearDownTestSuite() { fs::remove_all(folder()); }
  void SetUp() override { ASSERT_EQ(recorded().status, 0) << recorded().output; }

  static std::string file(const std::string& name) { return (folder() / name).string(); }
  static fs::path& folder() {
    static fs::path made;
    return made;
  }
  static ending& recorded() {
    static ending made;
    return made;
  }
};

TEST_F(simulated_recording, stands_beside_the_recorded_time_and_says_what_to_expect) {
  const ending shown = ask("sim " + file("g.nfg") + of_two_sockets + " --iterations 12");
  ASSERT_EQ(shown.status, 0) << shown.output;
  EXPECT_THAT(shown.output,
              AllOf(HasSubstr("recorded:  "), HasSubstr("with 2 workers under "), HasSubstr("this machine"),
                    HasSubstr("of the recorded work is waits for memory, as simulated on "),
                    HasSubstr("simulated, 5 seeds: "), HasSubstr("speed-up"),
                    HasSubstr("simulated, seed 1: an iteration with so many workers"), HasSubstr("\nExpect "),
                    HasSubstr("with 8 workers under "), HasSubstr("(simulated): "), HasSubstr("as fast as recorded")));
  EXPECT_THAT(shown.output, Not(HasSubstr("\033["))) << "colours are for terminals";
}

TEST_F(simulated_recording, says_if_no_data_are_named) {
  ASSERT_EQ(ask("record -o " + file("fib.nfg") + " fib --size test").status, 0);
  const std::string rest = of_two_sockets + " --iterations 2 --seeds 1 --sweep 0";
  EXPECT_THAT(ask("sim " + file("fib.nfg") + rest).output,
              HasSubstr("Region \"fib\" names no data, so memory and its bandwidth are not simulated"));
  EXPECT_THAT(ask("sim " + file("g.nfg") + rest).output, Not(HasSubstr("names no data")));
  for (const auto& [name, named] : {std::pair("fib.nfg", false), std::pair("g.nfg", true)})
    EXPECT_EQ(nlohmann::json::parse(ask("sim " + file(name) + rest + " --json").output).at("recorded").at("names_data"),
              named);
}

TEST_F(simulated_recording, has_all_of_it_in_json) {
  const ending shown = ask("sim " + file("g.nfg") + of_two_sockets + " --iterations 12 --seeds 3 --sweep 8,2 --json");
  ASSERT_EQ(shown.status, 0) << shown.output;
  const auto made = nlohmann::json::parse(shown.output);
  const auto& recorded_part = made.at("recorded");
  EXPECT_GT(recorded_part.at("time_ns").get<double>(), 0);
  EXPECT_GE(recorded_part.at("work_ns").get<double>(), recorded_part.at("span_ns").get<double>());
  EXPECT_EQ(recorded_part.at("workers"), 2);
  const auto& here = recorded_part.at("this_machine");
  EXPECT_NE(here.contains("simulated_time_ns"), here.contains("why_not")) << "it may have fewer cores than 2";
  const auto& machine = made.at("machines").at(0);
  EXPECT_THAT(machine.at("expectation").get<std::string>(), testing::StartsWith("Expect "));
  ASSERT_EQ(machine.at("spread").size(), machine.at("policies").size());
  for (const auto& one : machine.at("spread")) {
    const auto& time = one.at("time_ns");
    EXPECT_EQ(time.at("count"), 3);
    EXPECT_LE(time.at("least").get<double>(), time.at("middle").get<double>());
    EXPECT_LE(time.at("middle").get<double>(), time.at("most").get<double>());
    EXPECT_NEAR(one.at("speed_up_over_recorded").at("most").get<double>(),
                recorded_part.at("time_ns").get<double>() / time.at("least").get<double>(), 1e-9);
  }
  ASSERT_EQ(machine.at("sweep").size(), 2U);
  EXPECT_EQ(machine.at("sweep")[0].at("workers"), 2);
  EXPECT_EQ(machine.at("sweep")[1].at("time_ns").at("random"),
            machine.at("policies")[0].at("per_iteration").at("time_ns"))
      << "8 are all";
}

TEST_F(simulated_recording, shows_how_far_recordings_lie_apart) {
  const ending shown = ask("sim " + file("g.nfg") + " " + file("g-2.nfg") + of_two_sockets +
                           " --iterations 4 --seeds 1 --sweep 0 --policy random,laws");
  ASSERT_EQ(shown.status, 0) << shown.output;
  EXPECT_THAT(shown.output, AllOf(HasSubstr("in " + file("g-2.nfg")), HasSubstr("speed-up, 2 recordings"),
                                  HasSubstr("over 2 recordings"), Not(HasSubstr("so many workers"))));
}

TEST_F(simulated_recording, with_dataflow_tasks_goes_by_what_is_pushed) {
  ASSERT_EQ(ask("record -o " + file("flow.nfg") + " jacobi-2d --size test").status, 0);
  const ending shown = ask("sim " + file("flow.nfg") + of_two_sockets + " --iterations 5 --seeds 2 --json");
  ASSERT_EQ(shown.status, 0) << shown.output;
  const auto machine = nlohmann::json::parse(shown.output).at("machines").at(0);
  ASSERT_EQ(machine.at("policies").size(), 3U);
  EXPECT_EQ(machine.at("policies")[2].at("policy"), "push=input");
  EXPECT_EQ(machine.at("policies")[2].at("iterations").size(), 5U);
  ASSERT_EQ(machine.at("sweep").size(), 4U);
  EXPECT_GE(machine.at("sweep")[0].at("time_ns").at("push=none"), machine.at("sweep")[1].at("time_ns").at("push=none"));
  for (const auto& [arguments, said] : {std::pair{" --policy laws", "dataflow tasks do not go by \"laws\""},
                                        {" --pages follow-plan", "which go by no plan"},
                                        {" --pages hbm-only", "has no memory node of that kind"},
                                        {" --workers 9", "has 8 cores"},
                                        {" --setup parallel", "the tasks of its own regions alone"},
                                        {" --setup quarters --pages interleaved", "both say where pages lie"}}) {
    const ending refused = ask("sim " + file("flow.nfg") + of_two_sockets + arguments);
    EXPECT_EQ(refused.status, 1) << arguments;
    EXPECT_THAT(refused.output, HasSubstr(said));
  }
}

// What is said of the memory of another machine is not about this one, which may have other nodes.
TEST_F(simulated_recording, takes_nodes_that_this_machine_does_not_have) {
  ASSERT_EQ(ask("record -o " + file("g.nfg") + " heat --size test").status, 0);
  const std::string line =
      "sim " + file("g.nfg") + " --machine xeon-phi-7210 --policy random --seeds 1 --sweep 0 --json";
  for (const auto& [arguments, why] : {std::pair{" --pages bound:6,7", "--pages puts its pages elsewhere"},
                                       {" --setup quarters", "--setup quarters puts its pages elsewhere"},
                                       {" --node-capacity 6=64M,7=64M", ""}}) {
    const ending shown = ask(line + arguments);
    ASSERT_EQ(shown.status, 0) << shown.output;
    const auto all = nlohmann::json::parse(shown.output);
    EXPECT_EQ(all.at("recorded").at("this_machine").value("why_not", ""), why);
    const std::string expected = all.at("machines").at(0).at("expectation");
    EXPECT_EQ(expected.find("not checked against the recorded run: " + std::string(why)) != std::string::npos,
              !std::string_view(why).empty())
        << expected;
  }
}

// Its pages cannot lie elsewhere, so the run as it was recorded is simulated all the same.
TEST_F(simulated_recording, without_data_is_checked_wherever_pages_are_put) {
  ASSERT_EQ(ask("record -o " + file("f.nfg") + " fib --size test").status, 0);
  const ending shown =
      ask("sim " + file("f.nfg") + of_two_sockets + " --policy random --seeds 1 --sweep 0 --json --pages interleaved");
  ASSERT_EQ(shown.status, 0) << shown.output;
  const auto here = nlohmann::json::parse(shown.output).at("recorded").at("this_machine");
  EXPECT_TRUE(here.contains("simulated_time_ns")) << here;
}

// The arrays of the program; buffers belong to the graph, and go by its rules.
TEST_F(simulated_recording, with_dataflow_tasks_has_its_pages_where_they_are_told_to_be) {
  ASSERT_EQ(ask("record -o " + file("flow.nfg") + " jacobi-2d --size test").status, 0);
  const auto pages_of_second_node = [&](const std::string& how) {
    const ending shown = ask("sim " + file("flow.nfg") + of_two_sockets + " --policy random --seeds 1 --json " + how);
    EXPECT_EQ(shown.status, 0) << shown.output;
    const auto run = nlohmann::json::parse(shown.output).at("machines").at(0).at("policies").at(0);
    const auto& nodes = run.at("pages").at("nodes");
    const double first = nodes.at(0).at("pages");
    const double second = nodes.size() > 1 ? nodes.at(1).at("pages").get<double>() : 0.0;
    return second / (first + second);
  };
  EXPECT_EQ(pages_of_second_node("--pages bound:0"), 0);
  EXPECT_EQ(pages_of_second_node("--pages bound:1"), 1);
  EXPECT_EQ(pages_of_second_node("--setup serial"), 0);
  EXPECT_EQ(pages_of_second_node("--setup serial --pages bound:1"), 1);
  for (const char* const even : {"--pages interleaved", "--setup quarters", "--setup interleaved"})
    EXPECT_NEAR(pages_of_second_node(even), 0.5, 0.2) << even;
}

TEST_F(simulated_recording, is_not_counted_twice) {
  std::filesystem::create_symlink("g.nfg", file("link.nfg"));
  const ending again = ask("sim " + file("g.nfg") + " " + file("g.nfg") + of_two_sockets);
  EXPECT_EQ(again.status, 1);
  EXPECT_THAT(again.output, HasSubstr("g.nfg is given twice; give one file for each run"));
  const ending linked = ask("sim " + file("g.nfg") + " " + file("link.nfg") + of_two_sockets);
  EXPECT_EQ(linked.status, 1);
  EXPECT_THAT(linked.output, HasSubstr("link.nfg is the same file as "));
}

TEST_F(simulated_recording, is_named_where_it_has_no_such_region) {
  const ending refused = ask("sim " + file("g.nfg") + of_two_sockets + " --region hat");
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output,
              HasSubstr("the recording " + file("g.nfg") + " has no iteration of a region \"hat\"; its regions: heat"));
}

TEST_F(simulated_recording, refuses_further_files_of_a_workload) {
  const ending refused = ask("sim heat " + file("g.nfg") + of_two_sockets);
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output, HasSubstr("heat is a workload"));
}

TEST(simulated_workload_command, has_spread_and_sweep_on_request_alone) {
  const std::string line = "sim heat --size test --iterations 4 --policy random" + of_two_sockets;
  EXPECT_THAT(ask(line).output, AllOf(Not(HasSubstr("Expect")), Not(HasSubstr("seeds: "))));
  const ending shown = ask(line + " --seeds 2 --sweep 1,8");
  EXPECT_EQ(shown.status, 0) << shown.output;
  EXPECT_THAT(shown.output, AllOf(HasSubstr("simulated, 2 seeds: "), HasSubstr("Expect "), HasSubstr("best, over")));
}

}  // namespace

// `nearfork record` and `nearfork graph` as a user meets them: status, output, files, complaints.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "unit/tools/command_run.hpp"

namespace {

namespace fs = std::filesystem;

using command_run::ending;

ending shell(const std::string& command) {
  return command_run::run_command("-u NEARFORK_RECORD NEARFORK_WORKERS=2 NEARFORK_PIN=off", command);
}

ending nearfork(const std::string& arguments) {
  return shell(NEARFORK_COMMAND " " + arguments);
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class record_command : public testing::Test {
 protected:
  record_command() : folder(fs::temp_directory_path() / ("nearfork-record-" + std::to_string(::getpid()))) {
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  ~record_command() override { fs::remove_all(folder); }
  [[nodiscard]] std::string file(const std::string& name) const { return (folder / name).string(); }
  fs::path folder;
};

using graph_command = record_command;

TEST_F(record_command, records_a_program_and_says_what) {
  const ending ran =
      nearfork("record -o " + file("g.nfg") + " -- " NEARFORK_COMMAND " bench heat --size test --reps 1 --workers 2");
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_TRUE(holds(ran.output, "nearfork: recorded " + file("g.nfg") + ": ")) << ran.output;
  EXPECT_EQ(nearfork("graph check " + file("g.nfg")).status, 0);
}

TEST_F(record_command, records_a_workload_by_name) {
  const ending ran =
      nearfork("record -o " + file("g.nfg") + " heat --size rows=128,columns=64,iterations=4 --iterations all");
  ASSERT_EQ(ran.status, 0) << ran.output;
  const auto info = nlohmann::json::parse(nearfork("graph info --json " + file("g.nfg")).output);
  ASSERT_EQ(info.at("regions").size(), 1U);
  EXPECT_EQ(info.at("regions")[0].at("name"), "heat");
  EXPECT_EQ(info.at("regions")[0].at("recorded").size(), 4U);
  EXPECT_EQ(info.at("workers"), 2);
  EXPECT_EQ(info.at("regions")[0].at("recorded")[0].at("accesses"), 2 * 16) << "16 leaves read and write";
}

TEST_F(record_command, records_dataflow_tasks_and_shows_them) {
  const ending ran = nearfork("record -o " + file("g.nfg") + " cholesky --size test");
  ASSERT_EQ(ran.status, 0) << ran.output;
  const auto info = nlohmann::json::parse(nearfork("graph info --json " + file("g.nfg")).output);
  const auto& one = info.at("regions")[0].at("recorded")[0];
  EXPECT_GT(one.at("dataflow_tasks"), 10);
  EXPECT_GT(one.at("edges"), 10);
  EXPECT_LE(one.at("span_ns"), one.at("work_ns"));
  EXPECT_TRUE(holds(nearfork("graph info " + file("g.nfg")).output, " dataflow tasks with "));
  EXPECT_TRUE(holds(nearfork("graph dump " + file("g.nfg")).output, ", dataflow after "));
  EXPECT_TRUE(holds(nearfork("graph dump --csv " + file("g.nfg")).output, ",after\n"));
  EXPECT_EQ(nearfork("graph check " + file("g.nfg")).status, 0);
}

TEST_F(record_command, keeps_one_of_several_runs_and_the_others_on_request) {
  const ending ran =
      nearfork("record -o " + file("g.nfg") + " --runs 3 --keep-all heat --size rows=128,columns=64,iterations=4");
  ASSERT_EQ(ran.status, 0) << ran.output;
  for (const char* const run : {"run 1 of 3: ", "run 2 of 3: ", "run 3 of 3: ", "; kept, as"})
    EXPECT_TRUE(holds(ran.output, run)) << ran.output;
  for (const char* const name : {"g.nfg", "g-2.nfg", "g-3.nfg"})
    EXPECT_EQ(nearfork("graph check " + file(name)).status, 0) << name;
  const ending alone = nearfork("record -o " + file("h.nfg") +
                                " --runs 2 -- " NEARFORK_COMMAND " bench heat --size test --reps 1 --workers 2");
  EXPECT_EQ(alone.status, 0) << alone.output;
  EXPECT_EQ(nearfork("graph check " + file("h.nfg")).status, 0);
  EXPECT_FALSE(fs::exists(file("h-2.nfg")));
}

TEST_F(record_command, ends_with_the_first_run_that_fails) {
  const ending ran = nearfork("record -o " + file("g.nfg") + " --runs 3 -- sh -c 'echo started; exit 7'");
  EXPECT_EQ(ran.status, 7);
  EXPECT_EQ(ran.output.find("started"), ran.output.rfind("started")) << ran.output;
}

TEST_F(record_command, hands_on_the_programs_status) {
  EXPECT_EQ(nearfork("record -o " + file("g.nfg") + " -- sh -c 'exit 7'").status, 7);
}

TEST_F(record_command, ends_by_the_signal_that_ended_the_program) {
  // popen's shell turns the signal of its last command into 128 + its number, or ends by it.
  const ending ran = nearfork("record -o " + file("g.nfg") + " -- sh -c 'kill -TERM $$'");
  EXPECT_TRUE(ran.status == 128 + 15 || ran.status == -15) << ran.status;
  EXPECT_TRUE(holds(ran.output, "ended by signal 15")) << ran.output;
}

TEST_F(record_command, passes_signals_on_to_the_program) {
  for (const char* const signal : {"TERM", "HUP", "INT"}) {
    const std::string pid = file("pid");
    std::filesystem::remove(pid);
    // Non-interactive shells have commands that they start by & ignore SIGINT: env lets them hear it.
    const ending ran = shell("sh -c 'env --default-signal=INT " NEARFORK_COMMAND " record -o " + file("g.nfg") +
                             " -- sh -c \"echo \\$\\$ >" + pid + "; exec sleep 50\" & here=$!; until [ -s " + pid +
                             " ]; do sleep 0.01; done; kill -" + signal + " $here; wait $here; ! kill -0 $(cat " + pid +
                             ") && echo both ended'");
    EXPECT_TRUE(holds(ran.output, "both ended")) << signal << ": " << ran.output;
    EXPECT_TRUE(holds(ran.output, "ended by signal")) << signal << ": " << ran.output;
  }
}

TEST_F(record_command, fails_and_says_why_if_the_program_does_not_use_nearfork) {
  std::ofstream(file("g.nfg")) << "an old file";
  const ending ran = nearfork("record -o " + file("g.nfg") + " -- true");
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(holds(ran.output, "nothing was recorded")) << ran.output;
  EXPECT_TRUE(holds(ran.output, "it must use nearfork")) << ran.output;
}

TEST_F(record_command, keeps_the_old_file_if_there_is_nothing_in_the_new_one) {
  const std::string no_room = "-u NEARFORK_RECORD NEARFORK_WORKERS=2 NEARFORK_PIN=off NEARFORK_RECORD_TASKS=1";
  std::ofstream(file("g.nfg")) << "an old file";
  fs::create_symlink("g.nfg", folder / "link.nfg");
  for (const char* const how :
       {"g.nfg fib --size test", "link.nfg fib --size test", "g.nfg --runs 2 fib --size test"}) {
    const ending ran = command_run::run_command(no_room, NEARFORK_COMMAND " record -o " + file(how));
    EXPECT_EQ(ran.status, 1) << how;
    EXPECT_TRUE(holds(ran.output, "nothing was recorded to ")) << ran.output;
    EXPECT_TRUE(holds(ran.output, "iteration found no room")) << ran.output;
    EXPECT_EQ(fs::file_size(file("g.nfg")), 11U) << how;
  }
  EXPECT_EQ(command_run::run_command(no_room, NEARFORK_COMMAND " record -o " + file("new.nfg fib --size test")).status,
            1);
  EXPECT_FALSE(fs::exists(file("new.nfg")));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 2) << "nothing else is left";
}

TEST_F(record_command, fails_for_a_program_that_is_not_there) {
  const ending ran = nearfork("record -o " + file("g.nfg") + " -- ./no-such-program");
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(holds(ran.output, "cannot start ./no-such-program")) << ran.output;
}

TEST_F(record_command, says_why_a_recording_cannot_be_written) {
  const ending ran = nearfork("record -o " + file("no/folder/g.nfg") + " fib --size test");
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(holds(ran.output, "cannot write " + file("no/folder/g.nfg"))) << ran.output;
  EXPECT_TRUE(holds(ran.output, "No such file")) << ran.output;
}

TEST_F(record_command, refuses_a_size_that_is_for_no_workload) {
  const ending ran = nearfork("record -o " + file("g.nfg") + " --size test -- true");
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(holds(ran.output, "--size is for workloads")) << ran.output;
  EXPECT_GE(nearfork("record -- true").status, 100) << "-o is missing";
}

TEST_F(graph_command, shows_the_same_tasks_in_info_and_dump) {
  ASSERT_EQ(nearfork("record -o " + file("g.nfg") + " heat --size rows=66,columns=64,iterations=3").status, 0);
  const auto info = nlohmann::json::parse(nearfork("graph info --json " + file("g.nfg")).output);
  const auto tasks = info.at("regions")[0].at("recorded")[0].at("tasks").get<std::size_t>();
  EXPECT_EQ(tasks, 15U) << "8 leaves and what forks them";
  std::istringstream lines(nearfork("graph dump --json --region heat " + file("g.nfg")).output);
  std::size_t dumped = 0;
  for (std::string line; std::getline(lines, line); ++dumped) {
    const auto task = nlohmann::json::parse(line);
    EXPECT_EQ(task.at("task"), dumped);
    EXPECT_EQ(task.at("parent").is_null(), dumped == 0);
  }
  EXPECT_EQ(dumped, tasks);
  const std::string csv = nearfork("graph dump --csv " + file("g.nfg")).output;
  EXPECT_TRUE(csv.starts_with("region,iteration,task,parent,stretch,")) << csv;
  EXPECT_TRUE(holds(csv, "\nheat,")) << csv;
  EXPECT_TRUE(holds(nearfork("graph info --csv " + file("g.nfg")).output, ",15,8,")) << "tasks and leaves";
  const ending text = nearfork("graph dump " + file("g.nfg"));
  EXPECT_TRUE(holds(text.output, "task 0, the root:")) << text.output;
  EXPECT_TRUE(holds(text.output, "writes grid ")) << text.output;
}

TEST_F(graph_command, ends_with_1_and_the_place_for_a_damaged_file) {
  ASSERT_EQ(nearfork("record -o " + file("g.nfg") + " fib --size test").status, 0);
  fs::resize_file(file("g.nfg"), fs::file_size(file("g.nfg")) - 5);
  for (const char* const command : {"info", "dump", "check"}) {
    const ending refused = nearfork(std::string("graph ") + command + " " + file("g.nfg"));
    EXPECT_EQ(refused.status, 1) << command;
    EXPECT_TRUE(holds(refused.output, "truncated")) << refused.output;
    EXPECT_TRUE(holds(refused.output, "byte ")) << refused.output;
  }
  const ending json = nearfork("graph check --json " + file("g.nfg"));
  EXPECT_EQ(json.status, 1);
  EXPECT_EQ(nlohmann::json::parse(json.output).at("sound"), false);
}

TEST_F(graph_command, refuses_an_unknown_region_and_a_missing_subcommand) {
  ASSERT_EQ(nearfork("record -o " + file("g.nfg") + " fib --size test").status, 0);
  EXPECT_EQ(nearfork("graph dump --region nonsense " + file("g.nfg")).status, 1);
  EXPECT_GE(nearfork("graph").status, 100);
}

TEST(recording_commands, show_examples_in_their_help) {
  for (const char* const command : {"record", "graph", "graph info", "graph dump", "graph check"}) {
    const ending help = nearfork(std::string(command) + " --help");
    EXPECT_EQ(help.status, 0);
    EXPECT_TRUE(holds(help.output, std::string("nearfork ") + command)) << help.output;
  }
}

}  // namespace

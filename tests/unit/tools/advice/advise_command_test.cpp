// `nearfork advise`, and --html of sim and bench, as a user meets them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/report/page_writer.hpp"
#include "unit/tools/command_run.hpp"

namespace {

namespace fs = std::filesystem;

using command_run::ending;

ending nearfork(const std::string& arguments) {
  return command_run::run_command("NEARFORK_WORKERS=2 NEARFORK_PIN=off", NEARFORK_COMMAND " " + arguments);
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr const char* program =
    " -- " NEARFORK_COMMAND " bench heat --size rows=256,columns=256,iterations=4 --reps 1 --workers 2";

class advise_command : public testing::Test {
 protected:
  advise_command() : folder_(fs::temp_directory_path() / ("nearfork-advised-" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~advise_command() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string file(const std::string& name) const { return (folder_ / name).string(); }
  fs::path folder_;
};

TEST_F(advise_command, says_what_the_program_would_gain_elsewhere) {
  const ending ran = nearfork("advise --machine opteron-8380" + std::string(program));
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_TRUE(holds(ran.output, "on opteron-8380 with 16 workers")) << ran.output;
  EXPECT_TRUE(holds(ran.output, "(simulated)")) << ran.output;
  EXPECT_TRUE(holds(ran.output, "\n1. ")) << ran.output;
  EXPECT_FALSE(holds(ran.output, "\n6. ")) << "at most five\n" << ran.output;
}

TEST_F(advise_command, says_if_no_data_are_named) {
  const std::string fib = " -- " NEARFORK_COMMAND " bench fib --size test --reps 1 --workers 2";
  EXPECT_TRUE(holds(nearfork("advise --machine opteron-8380" + fib).output, " names no data, so memory ")) << fib;
}

TEST_F(advise_command, prints_json_that_is_whole) {
  const ending ran = nearfork("advise --json --machine opteron-8380 -- sh -c '" NEARFORK_COMMAND
                              " bench heat --size rows=256,columns=256,iterations=4 --reps 1 --workers 2'"
                              " 2>/dev/null");
  ASSERT_EQ(ran.status, 0) << ran.output;
  EXPECT_TRUE(nlohmann::json::parse(ran.output).is_object()) << ran.output;
}

TEST_F(advise_command, prints_lines_for_spreadsheets) {
  const ending ran = nearfork("advise --csv --machine opteron-8380 -- sh -c '" NEARFORK_COMMAND
                              " bench heat --size rows=256,columns=256,iterations=4 --reps 1 --workers 2'"
                              " 2>/dev/null");
  ASSERT_EQ(ran.status, 0) << ran.output;
  EXPECT_TRUE(ran.output.starts_with("id,gain,gain_from,what,evidence,command\n")) << ran.output;
}

TEST_F(advise_command, prints_its_advice_although_the_page_finds_no_room) {
  if (nearfork::tools::page_part("d3.min.js").empty()) GTEST_SKIP() << "built without D3 (Debian's node-d3)";
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "skipped: no /dev/full";
  const ending text = nearfork("advise --html /dev/full --machine opteron-8380" + std::string(program));
  EXPECT_EQ(text.status, 1);
  EXPECT_TRUE(holds(text.output, "\n1. ")) << text.output;
  EXPECT_TRUE(holds(text.output, "cannot write /dev/full (flag --html)")) << text.output;
  const ending json =
      nearfork("advise --json --html /dev/full --machine opteron-8380" + std::string(program) + " 2>/dev/null");
  EXPECT_EQ(json.status, 1);
  EXPECT_TRUE(nlohmann::json::accept(json.output)) << json.output;
}

TEST_F(advise_command, hands_on_the_status_of_a_program_that_fails) {
  const ending ran = nearfork("advise -- sh -c 'exit 7'");
  EXPECT_EQ(ran.status, 7);
  EXPECT_TRUE(holds(ran.output, "there is no advice: the program ended with status 7")) << ran.output;
}

TEST_F(advise_command, ends_as_a_program_that_is_killed_and_leaves_no_files) {
  const ending ran =
      command_run::run_command("TMPDIR=" + folder_.string(), NEARFORK_COMMAND " advise -- sh -c 'kill -KILL $$'");
  EXPECT_TRUE(ran.status == 128 + 9 || ran.status == -9) << ran.status << ran.output;
  EXPECT_TRUE(holds(ran.output, "there is no advice: the program was ended by signal 9")) << ran.output;
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(advise_command, fails_and_says_why_if_the_program_does_not_use_nearfork) {
  const ending ran = nearfork("advise -- true");
  EXPECT_EQ(ran.status, 1) << ran.output;
  EXPECT_TRUE(holds(ran.output, "nearfork: ")) << ran.output;
}

TEST_F(advise_command, refuses_a_machine_that_nobody_knows) {
  const ending ran = nearfork("advise --machine no-such-machine" + std::string(program));
  EXPECT_EQ(ran.status, 1) << ran.output;
  EXPECT_TRUE(holds(ran.output, "no-such-machine")) << ran.output;
  EXPECT_FALSE(holds(ran.output, "contender")) << "the program did not run\n" << ran.output;
}

TEST_F(advise_command, pages_of_sim_and_bench_are_whole) {
  if (nearfork::tools::page_part("d3.min.js").empty()) GTEST_SKIP() << "built without D3 (Debian's node-d3)";
  for (const std::string& command : {"sim heat --size test --machine opteron-8380 --html " + file("page.html"),
                                     "bench heat --size test --reps 1 --workers 2 --html " + file("page.html"),
                                     "advise --html " + file("page.html") + program}) {
    fs::remove(file("page.html"));
    const ending ran = nearfork(command);
    ASSERT_EQ(ran.status, 0) << ran.output;
    const std::string page = text_of(file("page.html"));
    EXPECT_TRUE(page.starts_with("<!doctype html>")) << command;
    EXPECT_TRUE(page.ends_with("</html>\n")) << command;
    EXPECT_FALSE(holds(page, "src=\"http")) << command;
  }
  EXPECT_EQ(nearfork("sim heat --size test --html " + file("no/folder/page.html")).status, 1);
}

}  // namespace

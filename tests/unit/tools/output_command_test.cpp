// What every subcommand does with an output that cannot be written, and with an output that is not a file.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "command_run.hpp"

namespace {

namespace fs = std::filesystem;

using command_run::ending;

ending shell(const std::string& command) {
  return command_run::run_command(
      "-u NEARFORK_RECORD -u NEARFORK_REPORT -u NEARFORK_MACHINE NEARFORK_WORKERS=2 NEARFORK_PIN=off", command);
}

/// `redirection` applies to the command alone.
ending nearfork(const std::string& arguments, const std::string& redirection = "") {
  return shell("sh -c '" NEARFORK_COMMAND " " + arguments + " " + redirection + "'");
}

bool shows(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class output_command : public testing::Test {
 protected:
  output_command() {
    std::string pattern = (fs::temp_directory_path() / "nearfork-command-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
  }
  ~output_command() override { fs::remove_all(folder); }
  [[nodiscard]] std::string file(const std::string& name) const { return (folder / name).string(); }
  fs::path folder;
};

// --- standard output ---

/// Commands that print little, commands that print much, and commands that print at the end of their work.
constexpr const char* printing[] = {"--version",
                                    "--help",
                                    "topo --help",
                                    "config",
                                    "config --markdown",
                                    "topo --synthetic pu:1",
                                    "topo --synthetic pu:1 --json",
                                    "topo --list",
                                    "doctor",
                                    "bench --list",
                                    "bench fib --size test --reps 1 --json",
                                    "bench fib --size test --reps 1",
                                    "sim fib --size test --machine opteron-8380 --policy random",
                                    "graph check g.nfg"};

class lost_standard_output : public output_command, public testing::WithParamInterface<const char*> {
 protected:
  /// Runs beside a recording, which some commands read.
  [[nodiscard]] ending run(const char* redirection) const {
    return shell("sh -c 'cd " + folder.string() +
                 " && " NEARFORK_COMMAND " record -o g.nfg fib --size test 2>/dev/null; " + NEARFORK_COMMAND " " +
                 GetParam() + " " + redirection + "'");
  }
};

TEST_P(lost_standard_output, on_a_full_device_is_an_error_status) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "skipped: no /dev/full";
  const ending ran = run(">/dev/full");
  EXPECT_EQ(ran.status, 1) << ran.output;
  EXPECT_TRUE(shows(ran.output, "cannot write to standard output: No space left on device")) << ran.output;
}

TEST_P(lost_standard_output, that_was_closed_is_an_error_status) {
  const ending ran = run(">&-");
  EXPECT_EQ(ran.status, 1) << ran.output;
  EXPECT_TRUE(shows(ran.output, "cannot write to standard output: it is closed")) << ran.output;
}

INSTANTIATE_TEST_SUITE_P(each_command, lost_standard_output, testing::ValuesIn(printing));

TEST_F(output_command, writes_no_words_into_a_file_that_took_the_number_of_a_closed_stream) {
  const ending ran = nearfork("record -o " + file("g.nfg") + " fib --size test", "0<&- >&- 2>&-");
  EXPECT_EQ(ran.status, 0) << "it prints nothing on standard output";
  EXPECT_EQ(nearfork("graph check " + file("g.nfg")).status, 0);
}

TEST_F(output_command, leaves_closed_streams_closed_for_the_program_that_it_records) {
  const ending ran =
      nearfork("record -o " + file("g.nfg") + " -- sh -c \"[ -e /proc/self/fd/1 ] && exit 8; exit 7\"", ">&-");
  EXPECT_EQ(ran.status, 7) << ran.output;
}

// --- outputs by path ---

TEST_F(output_command, refuses_what_is_no_file_before_the_program_runs) {
  const std::string program = " -- touch " + file("marker");
  for (const std::string& bad : {folder.string(), file("no/such/g.nfg"), file("new/"), std::string("/dev/null/g")}) {
    const ending ran = nearfork("record -o " + bad + program);
    EXPECT_EQ(ran.status, 1);
    EXPECT_TRUE(shows(ran.output, "cannot write " + bad + " (flag --output)")) << ran.output;
    EXPECT_FALSE(shows(ran.output, "nothing was recorded")) << ran.output;
  }
  EXPECT_NE(nearfork("record -o \"\"" + program).status, 0);
  EXPECT_FALSE(fs::exists(file("marker")));
}

TEST_F(output_command, makes_no_file_called_dash) {
  for (const char* const command : {"record -o - fib --size test", "trace -o - -- true", "report -o - x.json"}) {
    const ending ran = shell("sh -c 'cd " + folder.string() + " && " NEARFORK_COMMAND " " + command + "'");
    EXPECT_EQ(ran.status, 1) << command;
    EXPECT_TRUE(shows(ran.output, "give /dev/stdout, or ./- for a file")) << command << ": " << ran.output;
    EXPECT_FALSE(fs::exists(file("-"))) << command;
  }
}

TEST_F(output_command, refuses_a_model_that_cannot_be_written_before_it_measures) {
  for (const std::string& bad : {folder.string(), file("no/such/box.model")}) {
    const ending ran = nearfork("topo --measure -o " + bad);
    EXPECT_EQ(ran.status, 1);
    EXPECT_TRUE(shows(ran.output, "cannot write ")) << ran.output;
    EXPECT_FALSE(shows(ran.output, "latency")) << ran.output;
  }
}

TEST_F(output_command, refuses_a_folder_of_pictures_that_cannot_be_before_it_simulates) {
  std::ofstream(file("file")) << "content";
  for (const std::string& bad : {file("file"), file("file/pictures"), std::string("/dev/null")}) {
    const ending ran = nearfork("reproduce laws --svg " + bad);  // in full that takes minutes
    EXPECT_EQ(ran.status, 1);
    EXPECT_TRUE(shows(ran.output, "(flag --svg)")) << ran.output;
  }
  EXPECT_EQ(content_of(file("file")), "content");
}

TEST_F(output_command, refuses_a_report_that_cannot_be_written_before_it_measures) {
  const ending ran =
      shell("NEARFORK_REPORT=" + file("no/such/r.txt") + " " NEARFORK_COMMAND " bench heat --size test --reps 1");
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(shows(ran.output, "(environment variable NEARFORK_REPORT)")) << ran.output;
  EXPECT_FALSE(shows(ran.output, "serial")) << ran.output;
}

TEST_F(output_command, ends_with_an_error_status_if_a_report_finds_no_room) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "skipped: no /dev/full";
  EXPECT_EQ(shell("NEARFORK_REPORT=/dev/full " NEARFORK_COMMAND " bench fib --size test --reps 1 --json").status, 1);
  EXPECT_EQ(shell("NEARFORK_RECORD=/dev/full " NEARFORK_COMMAND " bench fib --size test --reps 1 --json").status, 1);
}

TEST_F(output_command, reports_on_all_runtimes_of_a_bench) {
  ASSERT_EQ(shell("NEARFORK_REPORT=" + file("r.json") +
                  " " NEARFORK_COMMAND " bench fib --size test --reps 1 --policy random,laws,auto --json")
                .status,
            0);
  const auto all = nlohmann::json::parse(content_of(file("r.json")));
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all.at(2).at("policy"), "auto");
}

TEST_F(output_command, records_to_a_device_and_leaves_it_one) {
  const ending ran = nearfork("record -o /dev/null fib --size test");
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_TRUE(shows(ran.output, "recorded /dev/null: 1 region")) << ran.output;
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  if (fs::exists("/dev/full")) {
    EXPECT_EQ(nearfork("record -o /dev/full fib --size test").status, 1);
  }
  EXPECT_EQ(nearfork("record -o /dev/null -- true").status, 1) << "nothing was recorded";
}

TEST_F(output_command, records_to_standard_output_and_to_a_fifo) {
  EXPECT_EQ(nearfork("record -o /dev/stdout fib --size test", ">" + file("one.nfg")).status, 0);
  ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
  const ending ran = shell("sh -c '" NEARFORK_COMMAND " record -o " + file("pipe") + " fib --size test & cat " +
                           file("pipe") + " >" + file("two.nfg") + "; wait $!'");
  EXPECT_EQ(ran.status, 0) << ran.output;
  for (const char* const made : {"one.nfg", "two.nfg"})
    EXPECT_EQ(nearfork("graph check " + file(made)).status, 0) << made;
  EXPECT_TRUE(fs::is_fifo(file("pipe")));
}

TEST_F(output_command, follows_a_link_and_leaves_it_one) {
  fs::create_symlink("target.nfg", file("link.nfg"));
  EXPECT_EQ(nearfork("record -o " + file("link.nfg") + " fib --size test").status, 0);
  EXPECT_TRUE(fs::is_symlink(file("link.nfg")));
  EXPECT_EQ(nearfork("graph check " + file("target.nfg")).status, 0);
}

TEST_F(output_command, turns_a_limit_on_file_size_into_an_error) {
  const ending ran =
      shell("sh -c 'ulimit -f 1; exec " NEARFORK_COMMAND " record -o " + file("g.nfg") + " fib --size test'");
  EXPECT_EQ(ran.status, 1) << ran.output;
  EXPECT_TRUE(shows(ran.output, "File too large")) << ran.output;
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(output_command, sends_nobody_to_another_reason_if_the_disk_is_full) {
  const std::string program = " -- sh -c \"" NEARFORK_COMMAND " bench fib --size test --reps 1 --workers 2; true\"'";
  for (const std::string& command : {std::string("advise"), "record -o " + file("g.nfg")}) {
    const ending ran = shell("sh -c 'ulimit -f 1; exec " NEARFORK_COMMAND " " + command + program);
    EXPECT_EQ(ran.status, 1) << ran.output;
    EXPECT_TRUE(shows(ran.output, "File too large")) << ran.output;
    EXPECT_TRUE(shows(ran.output, "unless a file could not be written, which is said above")) << ran.output;
  }
}

// --- words ---

TEST_F(output_command, prints_valid_json_whatever_bytes_a_path_has) {
  const std::string odd = file("odd-\xff.xml");
  fs::copy_file(NEARFORK_SOURCE_DIR "/machines/opteron-8380.xml", odd);
  const ending ran = nearfork("topo --json --xml " + odd);
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_TRUE(nlohmann::json::accept(ran.output)) << ran.output;
}

TEST_F(output_command, says_in_its_own_words_that_the_current_folder_is_gone) {
  const ending ran = shell("sh -c 'mkdir " + file("gone") + " && cd " + file("gone") + " && rmdir " + file("gone") +
                           " && " NEARFORK_COMMAND " record -o g.nfg -- true'");
  EXPECT_EQ(ran.status, 1);
  EXPECT_FALSE(shows(ran.output, "filesystem error")) << ran.output;
  EXPECT_TRUE(shows(ran.output, "cannot write g.nfg (flag --output)")) << ran.output;
}

TEST_F(output_command, makes_temporary_files_that_a_program_reaches_from_any_folder) {
  const ending ran = shell("sh -c 'cd " + folder.string() +
                           " && TMPDIR=. " NEARFORK_COMMAND " record -o /dev/null -- sh -c \"cd / && " NEARFORK_COMMAND
                           " bench fib --size test --reps 1 --contender nearfork\"'");
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_TRUE(shows(ran.output, "recorded /dev/null")) << ran.output;
}

TEST_F(output_command, says_why_a_program_cannot_be_started) {
  std::ofstream(file("script")) << "exit 0\n";
  std::ofstream(file("no_interpreter")) << "#!/no/such/interpreter\n";
  std::ofstream(file("no_program")) << "#!/bin/sh\n";
  for (const char* const name : {"script", "no_interpreter"}) fs::permissions(file(name), fs::perms(0755));
  const auto refusal = [&](const std::string& program) {
    const ending ran = nearfork("record -o /dev/null -- " + program);
    EXPECT_EQ(ran.status, 1) << ran.output;
    return ran.output;
  };
  EXPECT_TRUE(shows(refusal(file("script")), "a script needs a first line such as #!/bin/sh"));
  EXPECT_TRUE(shows(refusal(file("no_interpreter")), "the interpreter that it names is not"));
  EXPECT_TRUE(shows(refusal(file("no_program")), "see ls -l " + file("no_program")));
  EXPECT_TRUE(shows(refusal(file("no/such")), "see ls -l " + file("no/such")));
  EXPECT_TRUE(shows(refusal("no-such-program"), "such as ./no-such-program"));
}

TEST_F(output_command, names_the_remedy_where_there_is_no_folder_for_temporary_files) {
  const ending ran = shell("TMPDIR=" + file("none") + " " NEARFORK_COMMAND " record -o /dev/null fib --size test");
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(shows(ran.output, "set TMPDIR")) << ran.output;
}

}  // namespace

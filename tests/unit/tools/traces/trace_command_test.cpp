// `nearfork trace`, `nearfork trace recover` and `nearfork sim --trace` as a user meets them.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "decoded_trace.hpp"
#include "sandbox/privileges.hpp"
#include "sound_trace.hpp"
#include "unit/tools/command_run.hpp"

namespace {

namespace fs = std::filesystem;

using command_run::ending;
using nearfork::test::decoded_trace;

ending nearfork(const std::string& arguments, const std::string& more_settings = "") {
  return command_run::run_command("-u NEARFORK_TRACE NEARFORK_WORKERS=2 NEARFORK_PIN=off " + more_settings,
                                  NEARFORK_COMMAND " " + arguments);
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

constexpr const char* short_run = " -- " NEARFORK_COMMAND " bench heat --size test --reps 1 --workers 2";

class trace_command : public testing::Test {
 protected:
  trace_command() : folder_(fs::temp_directory_path() / ("nearfork-traced-" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~trace_command() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string file(const std::string& name = "t.pftrace") const { return (folder_ / name).string(); }
  [[nodiscard]] decoded_trace trace(const std::string& name = "t.pftrace") const {
    std::ifstream bytes(file(name), std::ios::binary);
    return nearfork::test::decode_trace({std::istreambuf_iterator<char>(bytes), {}});
  }
  [[nodiscard]] std::string ring() const {
    for (const auto& one : fs::directory_iterator(folder_))
      if (one.path().extension() == ".ring") return one.path().string();
    return {};
  }
  fs::path folder_;
};

TEST_F(trace_command, traces_a_program_and_leaves_no_ring) {
  const ending ran = nearfork("trace -o " + file() + short_run);
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_TRUE(holds(ran.output, "nearfork: traced to " + file())) << ran.output;
  nearfork::test::expect_sound(trace());
  EXPECT_FALSE(trace().named("region heat").empty());
  EXPECT_EQ(ring(), "");
}

TEST_F(trace_command, hands_on_how_the_program_ends) {
  EXPECT_EQ(nearfork("trace -o " + file() + " -- sh -c 'exit 7'").status, 7);
  const ending killed = nearfork("trace -o " + file() + " -- sh -c 'kill -TERM $$'");
  EXPECT_TRUE(killed.status == 128 + 15 || killed.status == -15) << killed.status;
  EXPECT_TRUE(holds(killed.output, "was ended by signal 15")) << killed.output;
}

TEST_F(trace_command, fails_and_says_why_if_nothing_is_traced) {
  const ending ran = nearfork("trace -o " + file() + " -- true");
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(holds(ran.output, "nothing was traced to " + file())) << ran.output;
  EXPECT_TRUE(holds(ran.output, "it must use nearfork")) << ran.output;
  EXPECT_TRUE(holds(nearfork("trace").output, "no program is given"));
}

// The system does not tell it what the environment says.
TEST_F(trace_command, says_that_a_program_with_the_rights_of_another_user_does_not_hear_it) {
  const std::string program = file() + ".setuid";
  fs::copy_file("/bin/true", program);
  constexpr unsigned nobody = 65534;
  if (const std::string why = nearfork::test::why_no_privileges_in(folder_); !why.empty()) GTEST_SKIP() << why;
  ASSERT_EQ(::chown(program.c_str(), nobody, nobody), 0);
  ASSERT_EQ(::chmod(program.c_str(), 04755), 0);
  for (const std::string& command : {"trace -o " + file(), "record -o " + file() + ".nfg", std::string("advise")}) {
    const ending ran = nearfork(command + " -- " + program);
    EXPECT_EQ(ran.status, 1);
    EXPECT_TRUE(holds(ran.output, "it runs with the rights of another user (setuid)")) << ran.output;
    EXPECT_FALSE(holds(ran.output, "must use nearfork")) << ran.output;
  }
}

TEST_F(trace_command, says_why_a_trace_cannot_be_written) {
  const ending ran = nearfork("trace -o " + file("no/folder/t.pftrace") + short_run);
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(holds(ran.output, file("no/folder/t.pftrace"))) << ran.output;
  EXPECT_TRUE(holds(ran.output, "No such file")) << ran.output;
}

TEST_F(trace_command, a_full_disk_is_told_and_changes_no_answer) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "skipped: no /dev/full";
  const ending ran = nearfork("bench heat --size test --reps 1 --workers 2", "NEARFORK_TRACE=/dev/full");
  EXPECT_EQ(ran.status, 1) << "as for other outputs";
  EXPECT_TRUE(holds(ran.output, "  right")) << ran.output;
  EXPECT_TRUE(holds(ran.output, "cannot write /dev/full")) << ran.output;
  EXPECT_TRUE(holds(ran.output, "No space left on device")) << ran.output;
}

TEST_F(trace_command, a_killed_program_leaves_what_it_noted) {
  // Killed as soon as its ring file is there, or later; the benchmark would take minutes.
  const ending ran = command_run::run_command("NEARFORK_WORKERS=2 NEARFORK_PIN=off NEARFORK_TRACE=" + file(),
                                              "sh -c '" NEARFORK_COMMAND
                                              " bench heat --reps 1000 --workers 2 > /dev/null & "
                                              "until ls " +
                                                  folder_.string() +
                                                  " | grep -q ring; do sleep 0.1; done; sleep 1; kill -9 $!; wait'");
  const std::string left = ring();
  ASSERT_NE(left, "") << ran.output;
  const ending recovered = nearfork("trace recover " + left + " -o " + file());
  ASSERT_EQ(recovered.status, 0) << recovered.output;
  EXPECT_TRUE(holds(recovered.output, "events of ")) << recovered.output;
  nearfork::test::expect_sound(trace());
  EXPECT_FALSE(trace().events.empty());
  EXPECT_TRUE(fs::exists(left)) << "it stays until its owner removes it";
}

TEST_F(trace_command, makes_the_trace_of_a_program_that_is_killed) {
  const ending ran =
      nearfork("trace -o " + file() +
               " -- sh -c '" NEARFORK_COMMAND " bench heat --reps 1000 --workers 2 > /dev/null & until ls " +
               folder_.string() + " | grep -q ring; do sleep 0.1; done; sleep 1; kill -9 $!; wait; kill -9 $$'");
  EXPECT_TRUE(ran.status == 128 + 9 || ran.status == -9) << ran.status;
  EXPECT_TRUE(holds(ran.output, "was ended by signal 9; the ")) << ran.output;
  EXPECT_TRUE(holds(ran.output, "are traced to " + file() + ", from " + ring())) << ran.output;
  nearfork::test::expect_sound(trace());
  EXPECT_FALSE(trace().events.empty());
}

TEST_F(trace_command, names_all_traces_of_a_program) {
  const ending ran =
      nearfork("trace -o " + file() + " -- " NEARFORK_COMMAND " bench heat --size test --reps 1 --workers 1,2");
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_TRUE(holds(ran.output, "traced to " + file() + ", " + file("t-2.pftrace"))) << ran.output;
  nearfork::test::expect_sound(trace("t-2.pftrace"));
}

TEST_F(trace_command, has_every_task_on_request) {
  const ending ran = nearfork("trace --tasks 1 -o " + file() +
                              " -- " NEARFORK_COMMAND " bench heat --size test --reps 1 --workers 2 --policy random");
  EXPECT_EQ(ran.status, 0) << ran.output;
  nearfork::test::expect_sound(trace());
  EXPECT_FALSE(trace().named("task").empty());
}

TEST_F(trace_command, recover_refuses_what_is_no_ring) {
  std::ofstream(file("broken.ring")) << "not a ring";
  for (const std::string& name : {file("broken.ring"), file("missing.ring")}) {
    const ending ran = nearfork("trace recover " + name + " -o " + file());
    EXPECT_EQ(ran.status, 1) << ran.output;
    EXPECT_TRUE(holds(ran.output, name)) << ran.output;
  }
  EXPECT_FALSE(fs::exists(file()));
}

TEST_F(trace_command, the_simulator_writes_one_process_for_each_simulation) {
  const std::string what = "sim heat --size test --machine epyc-7763 --machine opteron-8380 --policy random,laws";
  const ending ran = nearfork(what + " --trace " + file());
  ASSERT_EQ(ran.status, 0) << ran.output;
  EXPECT_TRUE(holds(ran.output, "nearfork: traced to " + file())) << ran.output;
  const decoded_trace made = trace();
  for (const char* const process : {"random on epyc-7763", "laws on epyc-7763", "random on opteron-8380"}) {
    const auto is_it = [&](const auto& track) { return holds(track.second, process); };
    EXPECT_EQ(std::ranges::count_if(made.tracks, is_it), 1) << process;
  }
  ASSERT_EQ(nearfork(what + " --trace " + file("again.pftrace")).status, 0);
  std::ifstream one(file(), std::ios::binary);
  std::ifstream other(file("again.pftrace"), std::ios::binary);
  EXPECT_TRUE(std::equal(std::istreambuf_iterator<char>(one), {}, std::istreambuf_iterator<char>(other), {}));
}

TEST_F(trace_command, the_simulator_has_every_task_on_request) {
  const std::string what = "sim heat --size test --machine opteron-8380 --policy random";
  ASSERT_EQ(nearfork(what + " --trace " + file()).status, 0);
  EXPECT_TRUE(trace().named("task").empty());
  ASSERT_EQ(nearfork(what + " --trace-tasks 1 --trace " + file()).status, 0);
  nearfork::test::expect_sound(trace());
  EXPECT_FALSE(trace().named("task").empty());
  EXPECT_NE(nearfork(what + " --trace-tasks 1").status, 0) << "there is no trace";
}

TEST_F(trace_command, the_simulator_has_dataflow_tasks) {
  ASSERT_EQ(nearfork("record -o " + file("flow.nfg") + " jacobi-2d --size test").status, 0);
  const std::string what = "sim " + file("flow.nfg") + " --machine opteron-8380 --iterations 3 --seeds 1";
  const ending ran = nearfork(what + " --policy push=input --trace " + file());
  ASSERT_EQ(ran.status, 0) << ran.output;
  nearfork::test::expect_sound(trace());
  nearfork::test::expect_each_steal_once(trace());
  EXPECT_FALSE(trace().named("dataflow task").empty());
  std::size_t iterations = 0;
  for (const auto& one : trace().events)
    iterations += one.type == 1 && one.name.starts_with("region ") && !one.facts.contains("goes on") ? 1 : 0;
  EXPECT_EQ(iterations, 3U);
}

TEST_F(trace_command, the_simulator_says_why_a_trace_cannot_be_written) {
  const ending ran = nearfork("sim heat --size test --machine epyc-7763 --trace " + file("no/folder/t.pftrace"));
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(holds(ran.output, "No such file")) << ran.output;
}

}  // namespace

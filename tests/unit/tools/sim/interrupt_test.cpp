// Ctrl-C while `nearfork sim` works, in a process of its own.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

namespace {

using testing::HasSubstr;
using testing::Not;

/// A command whose two streams the test reads.
class running_command {
 public:
  /// `error_end`: what the process writes its complaints and its progress to.
  running_command(const std::vector<std::string>& words, int error_end) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    output_ = ends[0];
    std::vector<char*> arguments;
    for (const std::string& one : words) arguments.push_back(const_cast<char*>(one.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t streams;
    posix_spawn_file_actions_init(&streams);
    posix_spawn_file_actions_adddup2(&streams, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&streams, error_end, STDERR_FILENO);
    posix_spawn_file_actions_addclose(&streams, ends[0]);
    // What a script starts in the background ignores SIGINT, and so would these.
    posix_spawnattr_t signals;
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    posix_spawnattr_init(&signals);
    posix_spawnattr_setflags(&signals, POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigdefault(&signals, &interrupt);
    EXPECT_EQ(::posix_spawn(&process_, arguments.front(), &streams, &signals, arguments.data(), environ), 0);
    posix_spawnattr_destroy(&signals);
    posix_spawn_file_actions_destroy(&streams);
    ::close(ends[1]);
    ::close(error_end);
  }

  [[nodiscard]] bool catches_interrupts() const {
    std::ifstream status("/proc/" + std::to_string(process_) + "/status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with("SigCgt:")) return (std::stoull(line.substr(7), nullptr, 16) >> (SIGINT - 1) & 1) != 0;
    return false;
  }
  void interrupt() const { ::kill(process_, SIGINT); }

  /// Reads its output and waits for its end. As a shell says it.
  [[nodiscard]] int status() {
    output = rest_of(output_);
    int ended = 0;
    ::waitpid(process_, &ended, 0);
    return WIFEXITED(ended) ? WEXITSTATUS(ended) : -WTERMSIG(ended);
  }

  /// Everything up to the end of the stream; a terminal ends with an error.
  static std::string rest_of(int stream) {
    std::string text;
    char piece[4096];
    for (ssize_t got = 0; (got = ::read(stream, piece, sizeof piece)) > 0;)
      text.append(piece, static_cast<std::size_t>(got));
    ::close(stream);
    return text;
  }

  std::string output;

 private:
  pid_t process_ = -1;
  int output_ = -1;
};

/// Hours of work.
std::vector<std::string> endless(std::vector<std::string> more) {
  std::vector<std::string> words{NEARFORK_COMMAND,
                                 "sim",
                                 "heat",
                                 "--size",
                                 "test",
                                 "--iterations",
                                 "1000000",
                                 "--policy",
                                 "random,laws",
                                 "--machine",
                                 "package:2 [numa] l3:1(size=256KiB) core:2 pu:1"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(interrupted_sim, prints_what_is_done_as_json) {
  int errors[2];
  ASSERT_EQ(::pipe(errors), 0);
  running_command sim(endless({"--json"}), errors[1]);
  while (!sim.catches_interrupts()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  sim.interrupt();
  EXPECT_EQ(sim.status(), 130);
  const auto made = nlohmann::json::parse(sim.output);
  EXPECT_EQ(made.at("interrupted"), true);
  ASSERT_EQ(made.at("not_run").size(), 2U);
  EXPECT_EQ(made.at("not_run")[1].at("policy"), "laws");
  EXPECT_LT(made.at("not_run")[1].at("iterations_done").get<int>(), 1'000'000);
  EXPECT_EQ(made.at("machines")[0].at("policies").size(), 0U);
  const std::string complaints = running_command::rest_of(errors[0]);
  EXPECT_THAT(complaints, HasSubstr("interrupted"));
  EXPECT_THAT(complaints, Not(HasSubstr("simulating"))) << "no terminal: no progress";
}

TEST(interrupted_sim, says_in_json_that_other_seeds_were_not_run) {
  int errors[2];
  ASSERT_EQ(::pipe(errors), 0);
  running_command sim({NEARFORK_COMMAND, "sim", "heat", "--size", "rows=512,columns=512", "--seeds", "1000", "--policy",
                       "random", "--json", "--machine", "package:2 [numa] l3:1(size=256KiB) core:2 pu:1"},
                      errors[1]);
  while (!sim.catches_interrupts()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // the first seed is done
  sim.interrupt();
  EXPECT_EQ(sim.status(), 130);
  EXPECT_GE(nlohmann::json::parse(sim.output).at("not_run").size(), 1U);
  (void)running_command::rest_of(errors[0]);
}

TEST(interrupted_sim, shows_a_terminal_how_far_it_is) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(::grantpt(terminal), 0);
  ASSERT_EQ(::unlockpt(terminal), 0);
  running_command sim(endless({}), ::open(::ptsname(terminal), O_RDWR | O_NOCTTY));
  std::string shown;
  char piece[256];
  while (shown.find("simulating heat under ") == std::string::npos) {
    const ssize_t got = ::read(terminal, piece, sizeof piece);
    ASSERT_GT(got, 0) << shown;
    shown.append(piece, static_cast<std::size_t>(got));
  }
  sim.interrupt();
  EXPECT_EQ(sim.status(), 130);
  EXPECT_THAT(sim.output, HasSubstr("Interrupted. The rest was not run:"));
  EXPECT_THAT(sim.output, HasSubstr("  laws on package:2"));
  (void)running_command::rest_of(terminal);
}

}  // namespace

// However a program ends that sets clocks, the clocks are then as they were before. After kill -9 they are so once
// doctor has restored them.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <nearfork/error.hpp>

#include "fake_cpufreq.hpp"
#include "machine/model/machine.hpp"
#include "power/frequency_restoring.hpp"

namespace {

using namespace nearfork;
using test::fake_system;

/// A program that runs, and what it has said so far.
class running_program {
 public:
  running_program(const std::string& folder, const std::string& act) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::dup2(ends[1], STDERR_FILENO);
      ::execl(NEARFORK_MANAGED_RUN, NEARFORK_MANAGED_RUN, folder.c_str(), act.c_str(), nullptr);
      ::_exit(126);
    }
    ::close(ends[1]);
    output_ = ends[0];
  }
  ~running_program() {
    ::close(output_);
    if (process_ > 0) (void)end();
  }
  running_program(const running_program&) = delete;
  running_program& operator=(const running_program&) = delete;

  /// False: the program has ended without saying it.
  [[nodiscard]] bool says(const std::string& word) {
    char piece[512];
    while (said_.find(word) == said_.npos) {
      const ssize_t got = ::read(output_, piece, sizeof piece);
      if (got <= 0) return false;
      said_.append(piece, static_cast<std::size_t>(got));
    }
    return true;
  }
  void kill(int signal) const { ::kill(process_, signal); }
  /// As waitpid() gives it.
  [[nodiscard]] int end() {
    int status = 0;
    ::waitpid(std::exchange(process_, 0), &status, 0);
    return status;
  }
  [[nodiscard]] const std::string& said() const { return said_; }

 private:
  pid_t process_;
  int output_;
  std::string said_;
};

class managed_program : public testing::Test {
 protected:
  managed_program() {
    for (const pu& one : load_machine("")->pus()) {
      const unsigned cpu = number_of(one.os);
      cpus.push_back(cpu);
      // Every second one by its limits.
      if (cpus.size() % 2 == 1) system.add_policy(cpu, std::to_string(cpu));
      else system.add_policy_without_userspace(cpu, std::to_string(cpu));
      before.push_back(files_of(cpu));
    }
  }
  [[nodiscard]] std::vector<std::string> files_of(unsigned cpu) const {
    std::vector<std::string> all;
    for (const char* const file : {"scaling_governor", "scaling_min_freq", "scaling_max_freq"})
      all.push_back(system.get(fake_system::policy_file(cpu, file)));
    return all;
  }
  void expect_restored(const std::string& after) const {
    for (std::size_t i = 0; i < cpus.size(); ++i) EXPECT_EQ(files_of(cpus[i]), before[i]) << "after " << after;
  }
  void expect_managed() const { EXPECT_EQ(system.governor_of(cpus.front()), "userspace"); }
  [[nodiscard]] restoring_result doctors_work() const {
    const auto all = restore_frequencies(*live_system_files(system.root()));
    const auto found = std::ranges::find_if(all, [](const auto& one) { return one.state != restoring_state::nothing; });
    return found == all.end() ? restoring_result{} : *found;
  }

  fake_system system;
  std::vector<unsigned> cpus;
  std::vector<std::vector<std::string>> before;
};

TEST_F(managed_program, restores_clocks_when_it_ends_by_itself) {
  for (const char* const act :
       {"return", "exit", "exit_in_task", "quick_exit", "abort", "throw", "fault", "fault_in_task", "overflow"}) {
    running_program one(system.root(), act);
    ASSERT_TRUE(one.says("ready")) << one.said();
    const int status = one.end();
    expect_restored(act);
    const std::string how = act;
    if (how == "return") EXPECT_EQ(WEXITSTATUS(status), 0);
    else if (how.find("exit") != how.npos) EXPECT_EQ(WEXITSTATUS(status), 5) << act;
    else EXPECT_TRUE(WIFSIGNALED(status)) << act;
    EXPECT_EQ(doctors_work().state, restoring_state::nothing) << act;
  }
}

TEST_F(managed_program, restores_clocks_when_a_signal_ends_it) {
  for (const char* const act : {"wait", "wait_in_task"})
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGPIPE, SIGXCPU, SIGSEGV}) {
      running_program one(system.root(), act);
      ASSERT_TRUE(one.says("ready")) << one.said();
      expect_managed();
      one.kill(signal);
      const int status = one.end();
      EXPECT_TRUE(WIFSIGNALED(status));
      EXPECT_EQ(WTERMSIG(status), signal);
      expect_restored(::strsignal(signal));
    }
}

TEST_F(managed_program, that_was_killed_is_cleaned_up_after_by_doctor) {
  running_program one(system.root(), "wait_in_task");
  ASSERT_TRUE(one.says("ready")) << one.said();
  one.kill(SIGKILL);
  EXPECT_EQ(WTERMSIG(one.end()), SIGKILL);
  expect_managed();
  const restoring_result done = doctors_work();
  EXPECT_EQ(done.state, restoring_state::restored);
  EXPECT_FALSE(done.lines.empty());
  expect_restored("doctor");
  EXPECT_EQ(doctors_work().state, restoring_state::nothing);
}

TEST_F(managed_program, that_was_killed_is_cleaned_up_after_by_the_next_one) {
  {
    running_program one(system.root(), "wait");
    ASSERT_TRUE(one.says("ready")) << one.said();
    one.kill(SIGKILL);
    (void)one.end();
  }
  running_program next(system.root(), "return");
  ASSERT_TRUE(next.says("ready")) << next.said();
  EXPECT_EQ(WEXITSTATUS(next.end()), 0);
  expect_restored("the next program");
}

TEST_F(managed_program, is_left_alone_by_doctor_while_it_runs) {
  running_program one(system.root(), "wait");
  ASSERT_TRUE(one.says("ready")) << one.said();
  EXPECT_EQ(doctors_work().state, restoring_state::in_use);
  expect_managed();
  one.kill(SIGTERM);
  (void)one.end();
  expect_restored("SIGTERM");
}

TEST_F(managed_program, keeps_others_from_setting_clocks) {
  running_program first(system.root(), "wait");
  ASSERT_TRUE(first.says("ready")) << first.said();
  running_program second(system.root(), "return");
  EXPECT_FALSE(second.says("ready"));
  EXPECT_NE(second.said().find("sets them"), std::string::npos) << second.said();
  EXPECT_EQ(WEXITSTATUS(second.end()), 2);
  expect_managed();
  first.kill(SIGTERM);
  (void)first.end();
}

TEST_F(managed_program, has_children_that_write_nothing) {
  running_program one(system.root(), "fork");
  ASSERT_TRUE(one.says("children ended")) << one.said();
  expect_managed();
  EXPECT_EQ(doctors_work().state, restoring_state::in_use);
  one.kill(SIGTERM);
  (void)one.end();
  expect_restored("the parent's end");
}

}  // namespace

// Runs a program and reports how it ended.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace nearfork::test {

struct program_end {
  int status = -1;  // the exit status; -1: a signal ended the program
  int signal = 0;
  std::string output{};
};

/// Calls `before` in the child. Returns standard output and error as one text. The program ends by itself: see
/// confined_run.
inline program_end run_program(
    const std::vector<std::string>& command, const std::vector<std::string>& environment,
    const std::function<void()>& before = [] {}) {
  std::vector<char*> words;
  std::vector<char*> variables;
  for (const std::string& one : command) words.push_back(const_cast<char*>(one.c_str()));
  for (const std::string& one : environment) variables.push_back(const_cast<char*>(one.c_str()));
  words.push_back(nullptr);
  variables.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::dup2(ends[1], STDERR_FILENO);
    before();
    ::execve(words[0], words.data(), variables.data());
    ::_exit(126);
  }
  ::close(ends[1]);
  program_end made;
  char piece[4096];
  for (ssize_t got = 0; (got = ::read(ends[0], piece, sizeof piece)) > 0;)
    made.output.append(piece, static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) throw std::runtime_error("no child process");
  if (WIFEXITED(status)) made.status = WEXITSTATUS(status);
  else made.signal = WTERMSIG(status);
  return made;
}

}  // namespace nearfork::test

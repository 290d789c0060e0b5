// Runs a command line as a user does, for tests of the command.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <string>

/// Not inside namespace nearfork, since tests name the function that runs the command nearfork().
namespace command_run {

struct ending {
  int status;          // -N: ended by signal N; -1000: not started
  std::string output;  // both streams
};

/// `settings`: NAME=VALUE and options of env. Leaks are not checked: hwloc leaks a little for each description that it
/// refuses (tests/hwloc_leaks.hpp), which would change the status under the address sanitizer.
inline ending run_command(const std::string& settings, const std::string& command) {
  const std::string line = "{ env " + settings + " LSAN_OPTIONS=detect_leaks=0 " + command + " ; } 2>&1";
  std::FILE* const pipe = ::popen(line.c_str(), "r");
  if (pipe == nullptr) return {-1000, "popen failed"};
  std::string output;
  char piece[4096];
  for (std::size_t got = 0; (got = std::fread(piece, 1, sizeof piece, pipe)) > 0;) output.append(piece, got);
  const int status = ::pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), output};
}

}  // namespace command_run

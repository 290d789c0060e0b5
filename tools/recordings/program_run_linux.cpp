#include "tools/recordings/program_run.hpp"

#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"

namespace nearfork::tools {
namespace {

std::vector<std::string> changed_environment(const std::vector<std::pair<std::string, std::string>>& extra) {
  std::vector<std::string> made;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    bool replaced = false;
    for (const auto& [name, value] : extra) replaced = replaced || text.starts_with(name + "=");
    if (!replaced) made.push_back(text);
  }
  for (const auto& [name, value] : extra) made.emplace_back(name).append("=").append(value);
  return made;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> made;
  for (std::string& one : texts) made.push_back(one.data());
  made.push_back(nullptr);
  return made;
}

// The program that runs now, and a signal that came before it was there. Handlers may read both.
std::atomic<pid_t> running{0};
std::atomic<int> too_early{0};

/// What a terminal sends reaches the program anyway, and has a positive code.
void pass_on(int signal, siginfo_t* from, void*) {
  if (from->si_code > 0) return;
  const int before = errno;
  if (const pid_t program = running.load(); program != 0) (void)::kill(program, signal);
  else too_early.store(signal);
  errno = before;
}

/// While it lives, this process does not end by signals that ask for its end: it passes them on to the program. Those
/// that it ignores, as under nohup, stay ignored.
class ends_with_program {
 public:
  ends_with_program() {
    struct sigaction passes{};
    passes.sa_sigaction = &pass_on;
    passes.sa_flags = SA_SIGINFO | SA_RESTART;
    for (std::size_t i = 0; i < signals.size(); ++i) {
      ::sigaction(signals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) ::sigaction(signals[i], &passes, nullptr);
    }
  }
  ~ends_with_program() {
    running.store(0);
    for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
  }
  ends_with_program(const ends_with_program&) = delete;
  ends_with_program& operator=(const ends_with_program&) = delete;

  static void begins(pid_t program) noexcept {
    running.store(program);
    if (const int early = too_early.exchange(0); early != 0) (void)::kill(program, early);
  }

 private:
  static constexpr std::array<int, 4> signals{SIGINT, SIGQUIT, SIGTERM, SIGHUP};
  std::array<struct sigaction, signals.size()> before_{};
};

std::uint64_t ns_of(const timeval& time) noexcept {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_usec) * 1000;
}

std::string remedy_of(int failed, const std::string& program) {
  // Shells run such a file themselves, so it may have worked without nearfork.
  if (failed == ENOEXEC) return "it is no program for this machine; a script needs a first line such as #!/bin/sh";
  if (program.find('/') == program.npos) return "give a program in PATH, or a path with a slash such as ./" + program;
  if (failed == ENOENT && state_of(program)) return "the file is there, but the interpreter that it names is not";
  return "see ls -l " + program;
}

pid_t start_program(const std::vector<std::string>& words,
                    const std::vector<std::pair<std::string, std::string>>& extra, program_output where) {
  std::vector<std::string> arguments = words;
  std::vector<std::string> environment = changed_environment(extra);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t heard;
  sigemptyset(&heard);
  sigaddset(&heard, SIGXFSZ);  // made an error of the write, for this process alone
  posix_spawnattr_setsigdefault(&attributes, &heard);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  if (where == program_output::to_error) posix_spawn_file_actions_adddup2(&streams, STDERR_FILENO, STDOUT_FILENO);
  pid_t process = 0;
  const int failed = ::posix_spawnp(&process, arguments.front().c_str(), &streams, &attributes,
                                    pointers_to(arguments).data(), pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&streams);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0)
    throw error("nearfork: cannot start " + words.front() + ": " + with_number(failed) + "; " +
                remedy_of(failed, words.front()));
  return process;
}

}  // namespace

program_end run_program(const std::vector<std::string>& words,
                        const std::vector<std::pair<std::string, std::string>>& extra, program_output where) {
  const ends_with_program meanwhile;
  const pid_t process = start_program(words, extra, where);
  ends_with_program::begins(process);
  int status = 0;
  rusage taken{};
  while (::wait4(process, &status, 0, &taken) < 0)
    if (errno != EINTR) throw error(std::string("nearfork: wait4: ") + std::strerror(errno));
  const std::uint64_t processor_ns = ns_of(taken.ru_utime) + ns_of(taken.ru_stime);
  if (WIFSIGNALED(status)) return {.signal = WTERMSIG(status), .processor_ns = processor_ns};
  return {.status = WEXITSTATUS(status), .processor_ns = processor_ns};
}

std::string words_of(const program_end& end) {
  return end.signal != 0 ? "was ended by signal " + std::to_string(end.signal)
                         : "ended with status " + std::to_string(end.status);
}

void end_by_signal(int signal) {
  const rlimit no_core{0, 0};  // the core file of the program is already written
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

std::optional<file_state> state_of(const std::string& path) {
  struct stat facts{};
  if (::stat(path.c_str(), &facts) != 0) return std::nullopt;
  return file_state{facts.st_ino, std::int64_t{facts.st_ctim.tv_sec} * 1'000'000'000 + facts.st_ctim.tv_nsec};
}

}  // namespace nearfork::tools

#include "tools/recordings/program_run.hpp"

#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
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

/// While it lives, this process ignores terminal interrupts. The child gets the former handling.
class deaf_to_terminal {
 public:
  deaf_to_terminal() {
    struct sigaction ignore{};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGINT, &ignore, &interrupt_);
    ::sigaction(SIGQUIT, &ignore, &quit_);
  }
  ~deaf_to_terminal() {
    ::sigaction(SIGINT, &interrupt_, nullptr);
    ::sigaction(SIGQUIT, &quit_, nullptr);
  }
  deaf_to_terminal(const deaf_to_terminal&) = delete;
  deaf_to_terminal& operator=(const deaf_to_terminal&) = delete;

  void let_child_hear(posix_spawnattr_t& attributes) const {
    sigset_t heard;
    sigemptyset(&heard);
    if (interrupt_.sa_handler != SIG_IGN) sigaddset(&heard, SIGINT);
    if (quit_.sa_handler != SIG_IGN) sigaddset(&heard, SIGQUIT);
    sigaddset(&heard, SIGXFSZ);  // made an error of the write, for this process alone
    posix_spawnattr_setsigdefault(&attributes, &heard);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  }

 private:
  struct sigaction interrupt_{};
  struct sigaction quit_{};
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

}  // namespace

program_end run_program(const std::vector<std::string>& words,
                        const std::vector<std::pair<std::string, std::string>>& extra) {
  std::vector<std::string> arguments = words;
  std::vector<std::string> environment = changed_environment(extra);
  const deaf_to_terminal meanwhile;
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  meanwhile.let_child_hear(attributes);
  pid_t process = 0;
  const int failed = ::posix_spawnp(&process, arguments.front().c_str(), nullptr, &attributes,
                                    pointers_to(arguments).data(), pointers_to(environment).data());
  posix_spawnattr_destroy(&attributes);
  if (failed != 0)
    throw error("nearfork: cannot start " + words.front() + ": " + with_number(failed) + "; " +
                remedy_of(failed, words.front()));
  int status = 0;
  rusage taken{};
  while (::wait4(process, &status, 0, &taken) < 0)
    if (errno != EINTR) throw error(std::string("nearfork: wait4: ") + std::strerror(errno));
  const std::uint64_t processor_ns = ns_of(taken.ru_utime) + ns_of(taken.ru_stime);
  if (WIFSIGNALED(status)) return {.signal = WTERMSIG(status), .processor_ns = processor_ns};
  return {.status = WEXITSTATUS(status), .processor_ns = processor_ns};
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

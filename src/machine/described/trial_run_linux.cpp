#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <exception>
#include <initializer_list>

#include "machine/described/trial_run.hpp"

namespace nearfork {
namespace {

/// Sent before the text. Other processes may have a copy of the pipe's end and keep it open, so the end of the pipe
/// does not mark the end of the answer.
struct answer_head {
  bool threw = false;
  std::size_t bytes = 0;
};

constexpr std::size_t most_answer_bytes = std::size_t{1} << 30;

/// The end of the child must not reach the user: no handler of the program, no message, no core file.
void be_quiet() noexcept {
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM}) ::signal(signal, SIG_DFL);
  sigset_t at_the_end;
  ::sigemptyset(&at_the_end);
  ::sigaddset(&at_the_end, SIGALRM);
  ::sigprocmask(SIG_UNBLOCK, &at_the_end, nullptr);  // the caller's thread may block it
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  const int sink = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (sink >= 0) {
    ::dup2(sink, STDOUT_FILENO);
    ::dup2(sink, STDERR_FILENO);
  }
}

/// Changes only the child's environment, which no other thread reads. A folder below a device does not exist, so hwloc
/// finds no plugin.
void forget_environment() noexcept {
  static char no_plugins[] = "HWLOC_PLUGINS_PATH=/dev/null/none";
  static char* left[] = {no_plugins, nullptr};
  environ = left;
}

bool read_all(int end, void* into, std::size_t bytes) noexcept {
  auto* at = static_cast<char*>(into);
  while (bytes > 0) {
    const ssize_t got = ::read(end, at, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_all(int end, const void* from, std::size_t bytes) noexcept {
  const auto* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t put = ::write(end, at, bytes);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    at += put;
    bytes -= static_cast<std::size_t>(put);
  }
  return true;
}

/// False: the writer ended before it sent everything.
bool hear(int end, child_answer& into) {
  answer_head head;
  if (!read_all(end, &head, sizeof head) || head.bytes > most_answer_bytes) return false;
  into.threw = head.threw;
  into.text.resize(head.bytes);
  return read_all(end, into.text.data(), head.bytes);
}

child_answer answer_of(const std::function<std::string()>& act) {
  try {
    return {trial_outcome::returned, false, act()};
  } catch (const std::exception& thrown) {
    return {trial_outcome::returned, true, thrown.what()};
  } catch (...) {
    return {trial_outcome::returned, true, "an exception without a text"};
  }
}

[[noreturn]] void be_child(const std::function<std::string()>& act, unsigned seconds, child_environment environment,
                           int end) {
  be_quiet();
  if (environment == child_environment::none) forget_environment();
  ::alarm(seconds);
  const child_answer made = answer_of(act);
  const answer_head head{made.threw, made.text.size()};
  const bool said = write_all(end, &head, sizeof head) && write_all(end, made.text.data(), made.text.size());
  _exit(said ? 0 : 1);
}

/// 0 if another thread has reaped it.
int status_of(pid_t child) noexcept {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 0;
  return status;
}

}  // namespace

child_answer ask_child(const std::function<std::string()>& act, unsigned seconds, child_environment environment) {
  // The answer comes through a pipe, because another thread may reap this program's children, or SIGCHLD may be
  // ignored.
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) be_child(act, seconds, environment, ends[1]);
  const int refused = errno;
  ::close(ends[1]);
  child_answer made;
  const bool returned = child > 0 && hear(ends[0], made);
  ::close(ends[0]);
  if (child < 0) {
    errno = refused;
    return {};
  }
  const int status = status_of(child);
  if (returned) made.outcome = trial_outcome::returned;
  else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) made.outcome = trial_outcome::took_too_long;
  else made.outcome = trial_outcome::crashed;
  return made;
}

trial_outcome try_in_child(const std::function<void()>& act, unsigned seconds) {
  const auto silent = [&act] {
    act();
    return std::string();
  };
  return ask_child(silent, seconds, child_environment::ours).outcome;
}

}  // namespace nearfork

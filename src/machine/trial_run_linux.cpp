#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

#include "machine/trial_run.hpp"

namespace nearfork {
namespace {

/// Nothing of the child's end shall reach the user: no handler of the program, no message, no core file.
void be_quiet() noexcept {
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM}) ::signal(signal, SIG_DFL);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  const int sink = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (sink >= 0) {
    ::dup2(sink, STDOUT_FILENO);
    ::dup2(sink, STDERR_FILENO);
  }
}

/// One byte, or the end of a pipe whose writer is gone.
bool answers(int end) noexcept {
  char byte = 0;
  ssize_t got = 0;
  do got = ::read(end, &byte, 1);
  while (got < 0 && errno == EINTR);
  return got == 1;
}

/// 0 if somebody else has reaped it.
int status_of(pid_t child) noexcept {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 0;
  return status;
}

}  // namespace

trial_outcome try_in_child(const std::function<void()>& act, unsigned seconds) {
  // The answer comes through a pipe: somebody else may reap this program's children, or nobody (SIGCHLD ignored).
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return trial_outcome::not_tried;
  const pid_t child = ::fork();
  if (child == 0) {
    be_quiet();
    ::alarm(seconds);
    const auto answer = [&] { _exit(::write(ends[1], "", 1) == 1 ? 0 : 1); };
    try {
      act();
    } catch (...) {
      answer();  // an exception is one, too; the caller will get it
    }
    answer();
  }
  const int refused = errno;
  ::close(ends[1]);
  const bool returned = child > 0 && answers(ends[0]);
  ::close(ends[0]);
  if (child < 0) {
    errno = refused;
    return trial_outcome::not_tried;
  }
  const int status = status_of(child);
  if (returned) return trial_outcome::returned;
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? trial_outcome::took_too_long : trial_outcome::crashed;
}

}  // namespace nearfork

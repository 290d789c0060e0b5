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

}  // namespace

trial_outcome try_in_child(const std::function<void()>& act, unsigned seconds) {
  const pid_t child = ::fork();
  if (child < 0) return trial_outcome::not_tried;
  if (child == 0) {
    be_quiet();
    ::alarm(seconds);
    try {
      act();
    } catch (...) {
      ::_exit(0);  // an exception is an answer, too; the caller will get it
    }
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return trial_outcome::not_tried;  // somebody else reaps this program's children
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return trial_outcome::returned;
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? trial_outcome::took_too_long : trial_outcome::crashed;
}

}  // namespace nearfork

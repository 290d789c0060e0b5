#include "power/last_writes.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <nearfork/detail/seam.hpp>

#include "base/kept_list.hpp"

namespace nearfork {
namespace {

namespace seam = detail::seam;

/// What a handler reads: never changed once it is published, and never freed, as another thread's handler may read it.
struct armed_writes {
  std::vector<restoring_write> writes;
  std::string state_path;
  std::shared_ptr<write_gate> gate;
  int process;
};

constinit seam::atomic<const armed_writes*> armed{nullptr};

/// Those whose default action ends the process, but SIGKILL.
constexpr int deadly_signals[] = {SIGHUP,  SIGINT,    SIGQUIT, SIGILL,  SIGTRAP, SIGABRT, SIGBUS,    SIGFPE,
                                  SIGUSR1, SIGSEGV,   SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGSTKFLT, SIGXCPU,
                                  SIGXFSZ, SIGVTALRM, SIGPROF, SIGPOLL, SIGPWR,  SIGSYS};

// --- in a handler: system calls that POSIX allows there, and no memory ---

bool write_text(const char* path, const std::string& text) noexcept {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t put = text.empty() ? 0 : ::write(file, text.data(), text.size());
  // The state file is emptied; for files of /sys this does nothing.
  [[maybe_unused]] const int ignored = put < 0 ? 0 : ::ftruncate(file, put);
  ::close(file);
  return put == static_cast<ssize_t>(text.size());
}

bool holds(const char* path, const std::string& word) noexcept {
  char seen[64];
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t got = ::read(file, seen, sizeof seen);
  ::close(file);
  const auto length = static_cast<ssize_t>(word.size());
  return got >= length && std::memcmp(seen, word.data(), word.size()) == 0 && (got == length || seen[length] == '\n');
}

bool do_write(const restoring_write& one) noexcept {
  if (!one.only_if.empty() && !holds(one.path.c_str(), one.only_if)) return true;
  return write_text(one.path.c_str(), one.text);
}

void on_deadly_signal(int signal) {
  do_last_writes();
  // Pending until this handler returns; then it has the action that it would have had.
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

// --- elsewhere ---

void take_signals() noexcept {
  struct sigaction ours = {};
  ours.sa_handler = on_deadly_signal;
  ours.sa_flags = SA_ONSTACK;
  ::sigfillset(&ours.sa_mask);
  for (const int number : deadly_signals) {
    struct sigaction now = {};
    if (::sigaction(number, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == SIG_DFL)
      ::sigaction(number, &ours, nullptr);
  }
}

void give_signals_back() noexcept {
  for (const int number : deadly_signals) {
    struct sigaction now = {};
    if (::sigaction(number, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
        now.sa_handler == on_deadly_signal)
      ::signal(number, SIG_DFL);
  }
}

void register_once() noexcept {
  static constinit seam::atomic<bool> done{false};
  if (done.exchange(true, seam::memory_order_acq_rel)) return;
  (void)std::atexit(do_last_writes);
  (void)std::at_quick_exit(do_last_writes);
}

sigset_t& as_set(unsigned char* bytes) noexcept {
  return *reinterpret_cast<sigset_t*>(bytes);
}

}  // namespace

void do_last_writes() noexcept {
  const armed_writes* const now = armed.load(seam::memory_order_acquire);
  if (now == nullptr || now->process != ::getpid()) return;
  now->gate->close();
  bool all_done = true;
  for (const restoring_write& one : now->writes) all_done = do_write(one) && all_done;
  if (all_done) (void)write_text(now->state_path.c_str(), {});
}

void arm_last_writes(std::span<const restoring_write> writes, const std::string& state_path,
                     std::shared_ptr<write_gate> gate) {
  auto made = std::make_unique<const armed_writes>(
      armed_writes{{writes.begin(), writes.end()}, state_path, std::move(gate), ::getpid()});
  const kept_list<std::unique_ptr<const armed_writes>> turn;
  turn.all().push_back(std::move(made));
  register_once();
  armed.store(turn.all().back().get(), seam::memory_order_release);
  take_signals();
}

void disarm_last_writes() noexcept {
  give_signals_back();
  armed.store(nullptr, seam::memory_order_release);
}

static_assert(sizeof(sigset_t) <= 128);

no_signals_meanwhile::no_signals_meanwhile() noexcept {
  sigset_t all;
  ::sigfillset(&all);
  (void)::pthread_sigmask(SIG_SETMASK, &all, &as_set(before_));
}
no_signals_meanwhile::~no_signals_meanwhile() {
  (void)::pthread_sigmask(SIG_SETMASK, &as_set(before_), nullptr);
}

}  // namespace nearfork

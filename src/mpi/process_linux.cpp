#include "mpi/process.hpp"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

#include "mpi/engine.hpp"

namespace nearfork::mpi {
namespace {

constexpr unsigned most_pus = 8192;

using mask = std::vector<unsigned long>;
constexpr unsigned bits = 8 * sizeof(unsigned long);

/// Calls only what is allowed in a signal handler.
void note_end(int number) {
  if (!engine::instance().end_at_next_poll(number)) return end_by(number);
  (void)signal(SIGALRM, SIG_DFL);
  (void)alarm(2);  // if nobody polls
}

}  // namespace

std::vector<unsigned> bound_to() {
  mask words(most_pus / bits);
  std::vector<unsigned> pus;
  if (sched_getaffinity(0, words.size() * sizeof(words[0]), reinterpret_cast<cpu_set_t*>(words.data())) != 0)
    return pus;
  for (unsigned pu = 0; pu < most_pus; ++pu)
    if ((words[pu / bits] >> (pu % bits) & 1) != 0) pus.push_back(pu);
  return pus;
}

/// MPI has threads of its own by now (2 in Open MPI 4.1): if they kept all PUs, so did the process, and the runtime
/// would have workers there. Threads may end meanwhile.
int bind_to(const std::vector<unsigned>& pus) {
  mask words(most_pus / bits);
  for (const unsigned pu : pus)
    if (pu < most_pus) words[pu / bits] |= 1UL << (pu % bits);
  const auto* const set = reinterpret_cast<const cpu_set_t*>(words.data());
  const std::unique_ptr<DIR, int (*)(DIR*)> threads(opendir("/proc/self/task"), closedir);
  if (threads == nullptr) return errno;
  while (const dirent* const one = readdir(threads.get())) {
    const pid_t thread = static_cast<pid_t>(std::atoi(one->d_name));  // 0 for . and ..: the calling thread
    if (sched_setaffinity(thread, words.size() * sizeof(words[0]), set) != 0 && errno != ESRCH) return errno;
  }
  return 0;
}

void end_by(int number) noexcept {
  (void)signal(number, SIG_DFL);
  sigset_t only;
  (void)sigemptyset(&only);
  (void)sigaddset(&only, number);
  (void)pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  (void)raise(number);
}

void tell_waits_at_end() {
  struct sigaction now = {};
  if (sigaction(SIGTERM, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) return;
  struct sigaction ours = {};
  ours.sa_handler = note_end;
  ours.sa_flags = SA_RESTART;
  (void)sigemptyset(&ours.sa_mask);
  (void)sigaction(SIGTERM, &ours, nullptr);
}

}  // namespace nearfork::mpi

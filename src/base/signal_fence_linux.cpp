#include "base/signal_fence.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/monotonic_clock.hpp"
#include "base/process_number.hpp"

namespace nearfork {
namespace {

constexpr std::uint64_t most_wait_ns = 2'000'000;

/// Where the thread that was asked writes its answer: the number of the question. Seats are static, as an answer may
/// come long after its question was given up.
struct seat {
  std::atomic<bool> taken{false};
  std::atomic<std::uint64_t> answered{0};
};

constexpr unsigned seat_bits = 6;
constinit std::array<seat, std::size_t{1} << seat_bits> seats{};
constinit std::atomic<std::uint64_t> questions{0};
constinit std::atomic<int> signal_taken{0};

/// A question's number and its seat fit the word that a signal carries.
void* packed(std::uint64_t question, std::size_t at) noexcept {
  return reinterpret_cast<void*>(question << seat_bits | at);
}

void answer(int, siginfo_t* told, void*) {
  if (told->si_code != SI_QUEUE || told->si_pid != ::getpid()) return;  // somebody else's
  const auto word = reinterpret_cast<std::uint64_t>(told->si_value.sival_ptr);
  const std::uint64_t question = word >> seat_bits;
  auto& answered = seats[word % seats.size()].answered;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // A late answer leaves that of a later question alone.
  std::uint64_t before = answered.load(std::memory_order_relaxed);
  while (before < question && !answered.compare_exchange_weak(before, question, std::memory_order_seq_cst)) {
  }
}

bool send(int thread, void* word) noexcept {
  siginfo_t told;
  std::memset(&told, 0, sizeof told);
  told.si_signo = signal_taken.load(std::memory_order_relaxed);
  told.si_code = SI_QUEUE;
  told.si_pid = ::getpid();
  told.si_uid = ::getuid();
  told.si_value.sival_ptr = word;
  return ::syscall(SYS_rt_tgsigqueueinfo, told.si_pid, thread, told.si_signo, &told) == 0;
}

/// A seat while one question is asked; none if all are taken.
class taken_seat {
 public:
  taken_seat() noexcept {
    for (seat& one : seats)
      if (!one.taken.load(std::memory_order_relaxed) && !one.taken.exchange(true, std::memory_order_acquire)) {
        seat_ = &one;
        return;
      }
  }
  ~taken_seat() {
    if (seat_ != nullptr) seat_->taken.store(false, std::memory_order_release);
  }
  taken_seat(const taken_seat&) = delete;
  taken_seat& operator=(const taken_seat&) = delete;

  /// 0, or why there was no answer.
  [[nodiscard]] int ask(int thread) const noexcept {
    if (seat_ == nullptr) return EAGAIN;
    const std::uint64_t question = questions.fetch_add(1, std::memory_order_relaxed) + 1;
    if (!send(thread, packed(question, static_cast<std::size_t>(seat_ - seats.data())))) return errno;
    const std::uint64_t until = now_ns() + most_wait_ns;
    while (seat_->answered.load(std::memory_order_seq_cst) < question) {
      if (now_ns() > until) return ETIMEDOUT;
      ::sched_yield();  // the thread may wait for this core
    }
    return 0;
  }

 private:
  seat* seat_ = nullptr;
};

sigset_t only_fences() noexcept {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, signal_taken.load(std::memory_order_relaxed));
  return set;
}

/// Looks from above: programs take real-time signals from below.
bool take_signal() noexcept {
  struct sigaction ours;
  std::memset(&ours, 0, sizeof ours);
  ours.sa_sigaction = answer;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;  // the stacks of fibers may be small
  ::sigfillset(&ours.sa_mask);
  for (int number = SIGRTMAX; number >= SIGRTMIN; --number) {
    struct sigaction before;
    if (::sigaction(number, nullptr, &before) != 0 || (before.sa_flags & SA_SIGINFO) != 0 ||
        before.sa_handler != SIG_DFL || ::sigaction(number, &ours, nullptr) != 0)
      continue;
    signal_taken.store(number, std::memory_order_relaxed);
    return true;
  }
  return false;
}

int take_and_try() noexcept {
  if (!take_signal()) return EBUSY;
  const sigset_t fences = only_fences();
  sigset_t before;
  if (const int refused = ::pthread_sigmask(SIG_UNBLOCK, &fences, &before); refused != 0) return refused;
  const int unanswered = taken_seat().ask(thread_number());
  (void)::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return unanswered;
}

}  // namespace

int prepare_signal_fence() noexcept {
  static const int refused = take_and_try();
  return refused;
}

int fence_signal() noexcept {
  return signal_taken.load(std::memory_order_relaxed);
}

int answer_signal_fences() noexcept {
  const sigset_t fences = only_fences();
  (void)::pthread_sigmask(SIG_UNBLOCK, &fences, nullptr);
  return thread_number();
}

bool fence_in_thread(int thread) noexcept {
  return taken_seat().ask(thread) == 0;
}

}  // namespace nearfork

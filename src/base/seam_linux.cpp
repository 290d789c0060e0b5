#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>

#include <nearfork/detail/seam.hpp>

namespace nearfork::detail::seam {
namespace {

// A std::atomic<uint32_t> has the size and representation of the word that the kernel reads.
static_assert(sizeof(atomic<std::uint32_t>) == sizeof(std::uint32_t));

void futex(atomic<std::uint32_t>& word, int operation, std::uint32_t value) noexcept {
  // Every outcome is fine here: EAGAIN (the word changed), EINTR and a spurious return are all
  // "look again" to the callers, which loop on the word.
  ::syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, nullptr, nullptr, 0);
}

/// While it lives, this thread's timers end on time. By default Linux lets them be 50 us late, more than workers search
/// (config::spin_us). So of two ranks that answer each other, each slept whenever the other had slept once, for ever:
/// 30 to 110 us a message instead of 2 on a busy machine.
class timer_without_slack {
 public:
  timer_without_slack() noexcept : before_(::prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0)) { set(1); }
  ~timer_without_slack() { set(before_); }
  timer_without_slack(const timer_without_slack&) = delete;
  timer_without_slack& operator=(const timer_without_slack&) = delete;

 private:
  void set(int ns) const noexcept {
    if (before_ > 1) (void)::prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(ns), 0, 0, 0);
  }
  const int before_;  // -1 where a sandbox refuses it
};

}  // namespace

bool heavy_fence() noexcept {
  return ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}
int prepare_heavy_fence() noexcept {
  return ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0 ? 0 : errno;
}

void yield() noexcept {
  ::sched_yield();
}
void futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  futex(word, FUTEX_WAIT, expected);
}
void futex_wait_for(atomic<std::uint32_t>& word, std::uint32_t expected, std::uint64_t most_ns) noexcept {
  constexpr std::uint64_t second = 1'000'000'000;
  timespec most{};
  most.tv_sec = static_cast<time_t>(most_ns / second);
  most.tv_nsec = static_cast<long>(most_ns % second);
  const timer_without_slack exact;
  ::syscall(SYS_futex, &word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, expected, &most, nullptr, 0);  // outcomes: as above
}
void futex_wake_one(atomic<std::uint32_t>& word) noexcept {
  futex(word, FUTEX_WAKE, 1);
}
void futex_wake_all(atomic<std::uint32_t>& word) noexcept {
  futex(word, FUTEX_WAKE, INT_MAX);
}

}  // namespace nearfork::detail::seam

#include "base/fork_order.hpp"

#include <pthread.h>

#include <array>
#include <string>

#include <nearfork/detail/seam.hpp>
#include <nearfork/error.hpp>

namespace nearfork {
namespace {

namespace seam = detail::seam;

/// The bit that says that a thread forks. The other bits count the threads inside.
constexpr std::uint32_t forking = std::uint32_t{1} << 31;
constinit seam::atomic<std::uint32_t> gate{0};
constinit thread_local std::uint32_t depth = 0;  // number of this thread's no_fork_meanwhile

constinit std::array<seam::atomic<const fork_handlers*>, fork_ranks> announced{};
/// Handlers that this thread's fork() has called. Others may be announced before it ends.
constinit thread_local std::array<const fork_handlers*, fork_ranks> called{};

void enter_gate() noexcept {
  for (auto seen = gate.load(seam::memory_order_relaxed);;) {
    if (seen == forking) {
      seam::futex_wait(gate, forking);
      seen = gate.load(seam::memory_order_relaxed);
      // Acquire, and the release below: as a lock.
    } else if (gate.compare_exchange_weak(seen, seen + 1, seam::memory_order_acquire, seam::memory_order_relaxed)) {
      return;
    }
  }
}

/// Threads that are inside may wait for others that must be let in. So fork() takes its turn when no thread is inside.
void close_gate() noexcept {
  for (std::uint32_t seen = 0;
       !gate.compare_exchange_weak(seen, forking, seam::memory_order_acquire, seam::memory_order_relaxed); seen = 0)
    if (seen != 0) seam::futex_wait(gate, seen);
}

void open_gate() noexcept {
  gate.store(0, seam::memory_order_release);
  seam::futex_wake_all(gate);
}

void before_fork() {
  if (depth == 0) close_gate();
  for (std::size_t i = 0; i < fork_ranks; ++i) {
    called[i] = announced[i].load(seam::memory_order_acquire);
    if (called[i] != nullptr) called[i]->before();
  }
}

void call_after() {
  for (std::size_t i = fork_ranks; i-- > 0;)
    if (called[i] != nullptr) called[i]->after();
}

void after_fork_in_parent() {
  call_after();
  if (depth == 0) open_gate();
}

/// The other threads that were inside are not in this process.
void after_fork_in_child() {
  call_after();
  gate.store(depth == 0 ? 0 : 1, seam::memory_order_relaxed);
}

/// Returns an errno value or 0.
int watch_forks() noexcept {
  static constinit seam::atomic<int> refused{-1};  // -1: not asked yet
  static constinit seam::atomic<bool> asked{false};
  if (!asked.exchange(true, seam::memory_order_acq_rel)) {
    const int answer = ::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    refused.store(answer, seam::memory_order_release);
    if (answer != 0) asked.store(false, seam::memory_order_release);
  }
  const int answer = refused.load(seam::memory_order_acquire);
  return answer < 0 ? 0 : answer;  // another thread is asking
}

/// Runs before there are threads, if the library is linked and not loaded later.
[[maybe_unused]] const int watched_from_the_start = watch_forks();

}  // namespace

no_fork_meanwhile::no_fork_meanwhile() noexcept {
  (void)watch_forks();
  if (depth++ == 0) enter_gate();
}

no_fork_meanwhile::~no_fork_meanwhile() {
  if (--depth > 0) return;
  if (gate.fetch_sub(1, seam::memory_order_release) == 1) seam::futex_wake_all(gate);
}

void call_around_fork(fork_rank rank, const fork_handlers& handlers) {
  if (const int refused = watch_forks(); refused != 0)
    throw error("nearfork: pthread_atfork failed (errno " + std::to_string(refused) +
                "), and without it a forked child could hang: free some memory and start again");
  announced[static_cast<std::size_t>(rank)].store(&handlers, seam::memory_order_release);
}

}  // namespace nearfork

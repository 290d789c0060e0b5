// A job: one forked call, which lies in its parent's frame until its owner or a thief runs it. Also the protocol
// between the thief that finishes the job and the parent that waits for it.
//
// One word carries the whole protocol. A fork writes it; a join whose job was not stolen does not read it:
//   kind               not finished, no fiber waits
//   kind | waiting     not finished, the parent's fiber sleeps (its address is in waiter_)
//   0                  finished
// [J1] The result is written before finish() and read after done() or after being resumed: the exchange
//      in finish() releases it, done() and the exchange's successors acquire it.
// [J2] Exactly one side sees the other. finish() exchanges and wait() ors; both are read-modify-writes of one word. So
//      either finish() returns the waiter, or wait() sees the job finished. Mutant: join_blind_store.
// [J3] After finish() the parent may return and the job's memory may be gone.
#pragma once

#include <nearfork/detail/language.hpp>

#include <cstdint>

#include <nearfork/detail/seam.hpp>

namespace nearfork::detail {

struct fiber;

class job;

/// What can be done with the jobs of one type. A constant: jobs keep its address.
struct job_kind {
  void (*run)(job&);
};
/// The kind of jobs that can be run and nothing else.
template <void (*Run)(job&)>
NEARFORK_OWN_COPY inline constexpr job_kind kind_of{Run};

class job {
 public:
  explicit job(const job_kind& kind) noexcept { arm(kind); }
  job(const job&) = delete;
  job& operator=(const job&) = delete;

  /// The owner calls this before it pushes the job. Relaxed: publishing the slot releases it.
  void arm(const job_kind& kind) noexcept {
    state_.store(reinterpret_cast<std::uintptr_t>(&kind), seam::memory_order_relaxed);
  }

  /// The fiber that took the job calls this once. The function ends with finish().
  /// Relaxed: the steal acquired the slot; a waiting bit that may be set already is masked out.
  void run() noexcept {
    const auto word = state_.load(seam::memory_order_relaxed);
    reinterpret_cast<const job_kind*>(word & ~waiting)->run(*this);
  }

  /// Acquire pairs with the release in finish() [J1].
  [[nodiscard]] bool done() const noexcept { return state_.load(seam::memory_order_acquire) == finished; }

  /// Called for the parent, off the parent's stack. True: finish() will return `sleeper`. False: the job is
  /// done already. Release publishes waiter_ and the fiber's saved context; acquire is [J1].
  [[nodiscard]] bool wait(fiber* sleeper) noexcept {
    waiter_ = sleeper;
    return state_.fetch_or(waiting, seam::memory_order_acq_rel) != finished;
  }

  /// Called by the fiber that ran the job. Returns the fiber to resume, or nullptr. [J3]
  [[nodiscard]] fiber* finish() noexcept {
    const auto before = state_.exchange(finished, seam::memory_order_acq_rel);
    if ((before & waiting) == 0) return nullptr;
    return waiter_;
  }

 protected:
  /// Of a job that has not ended and for which no fiber waits.
  [[nodiscard]] const job_kind& kind() const noexcept {
    return *reinterpret_cast<const job_kind*>(state_.load(seam::memory_order_relaxed));
  }

 private:
  static constexpr std::uintptr_t finished = 0;
  /// The top bit: no address of user space has it.
  static constexpr std::uintptr_t waiting = std::uintptr_t{1} << 63;

  seam::atomic<std::uintptr_t> state_;
  seam::plain<fiber*> waiter_;  // unset until wait(); read only if the waiting bit is set
};

}  // namespace nearfork::detail

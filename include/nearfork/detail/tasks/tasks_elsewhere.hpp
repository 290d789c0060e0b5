// How many tasks of a group are not in the deque of the frame that made the group, and whether that frame waits for
// them.
//
// [O1] The last task ends the waiting in the step that counts the task. In two steps, a task that another thread
//      spawned between them would end as the last one a second time. Mutant: last_end_in_two_steps.
// [O2] begin_wait() looks and waits in one step, for the same reason. Mutant: waits_without_looking.
// [O3] Whoever spawns while there are tasks sees what the spawner of the first one did before: it has counted the call
//      to which they all belong. Mutant: joins_relaxed.
// [O4] The frame learns late that its jobs were stolen: until then their ends count below zero. If the count says that
//      all have ended, the frame sees what they did. Mutants: adds_ended_relaxed, adds_what_runs.
// [O5] A fiber that spawns from tasks of the group keeps an account of its own: what it spawns and what it runs itself
//      is not counted here. Thieves count the ends of such tasks all the same. While an account is open, the count says
//      so, and no such end is taken for the last one. Mutant: account_is_not_opened.
#pragma once

#include <cstdint>

#include <nearfork/detail/seam.hpp>
#include <nearfork/detail/tasks/group_account.hpp>

namespace nearfork::detail {

class tasks_elsewhere {
 public:
  /// Acquire: if there is none, the caller sees what all of them did.
  [[nodiscard]] bool any() const noexcept { return bits() != 0; }
  /// Zero: there is none. To be asked together with other words in one branch.
  [[nodiscard]] std::uint64_t bits() const noexcept {
    return static_cast<std::uint64_t>(state_.load(seam::memory_order_acquire));
  }
  /// Less than zero: so many of the tasks that are not added yet have ended.
  [[nodiscard]] std::int64_t approx_count() const noexcept {
    constexpr int above = 64 - bits_of_count;
    const auto seen = static_cast<std::uint64_t>(state_.load(seam::memory_order_relaxed));
    return static_cast<std::int64_t>(seen << above) >> above;
  }

  /// Relaxed: the end of these tasks, or of the task that spawns them, is counted later and releases.
  void add(std::int64_t tasks) noexcept { state_.fetch_add(tasks, seam::memory_order_relaxed); }
  /// Adds tasks that are elsewhere, if they and all others have ended: there is none then. False: some have not, and
  /// none was added. Acquire: as any() [O4].
  [[nodiscard]] bool try_add_ended(std::int64_t tasks) noexcept {
    auto seen = -tasks;
    return state_.compare_exchange_strong(seen, 0, seam::memory_order_acquire, seam::memory_order_relaxed);
  }
  /// False: there is none, and none was added. Acquire: who joins sees what came before try_begin() [O3].
  [[nodiscard]] bool try_join() noexcept {
    auto seen = state_.load(seam::memory_order_relaxed);
    while (seen != 0)
      if (state_.compare_exchange_weak(seen, seen + 1, seam::memory_order_acquire, seam::memory_order_relaxed))
        return true;
    return false;
  }
  /// False: there is one already, and none was added.
  [[nodiscard]] bool try_begin() noexcept {
    std::int64_t none = 0;
    return state_.compare_exchange_strong(none, 1, seam::memory_order_release, seam::memory_order_relaxed);  // [O3]
  }

  enum class end : std::uint8_t { of_some, of_all, of_waiting };
  /// [O5] From a task of the group. Relaxed: as add().
  void open_account() noexcept { state_.fetch_add(account, seam::memory_order_relaxed); }
  /// Counts what an account holds; call it when the fiber has no task of the group left. of_all: the last task was
  /// among them. of_waiting: so it was, and the caller resumes the frame, which waits. Else the group may be gone.
  /// Release: the waiter sees what the tasks did. Acquire: the last task hands on what all others did.
  [[nodiscard]] end settle(const group_account& kept) noexcept {
    const std::int64_t ended = (kept.is_open ? account : 0) - kept.balance;
    auto seen = state_.load(seam::memory_order_relaxed);
    for (;;) {
      const bool is_last = (seen & ~waiting) == ended;
      const std::int64_t next = is_last ? 0 : seen - ended;  // [O1]
      if (state_.compare_exchange_weak(seen, next, seam::memory_order_acq_rel, seam::memory_order_relaxed))
        return !is_last ? end::of_some : seen == ended ? end::of_all : end::of_waiting;
    }
  }

  /// The frame waits from now on, until an end says of_waiting. False: there is nothing to wait for.
  /// Acquire: as any(). Release: the last task sees what the frame did before.
  [[nodiscard]] bool begin_wait() noexcept {
    auto seen = state_.load(seam::memory_order_acquire);
    while (seen != 0)  // [O2]
      if (state_.compare_exchange_weak(seen, seen | waiting, seam::memory_order_acq_rel, seam::memory_order_acquire))
        return true;
    return false;
  }

 private:
  static constexpr int bits_of_count = 40;
  static constexpr std::int64_t account = std::int64_t{1} << bits_of_count;
  static constexpr std::int64_t waiting = std::int64_t{1} << 62;
  seam::atomic<std::int64_t> state_{0};
};

}  // namespace nearfork::detail

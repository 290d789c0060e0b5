// Cancel scopes. A scope is what can be cancelled as a whole: a loop, a group, the children of a fork, a stolen job.
// Scopes form a tree. Work in a scope stops when the scope or one around it is cancelled, on all workers.
//
// A program that cancels nothing pays one load of `cancellations` per look. Forks pay nothing: they look on their slow
// path only, and cancel() sends every worker there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>

#include <nearfork/cancellation.hpp>
#include <nearfork/detail/callable.hpp>
#include <nearfork/detail/scope_chain.hpp>
#include <nearfork/detail/seam.hpp>
#include <nearfork/detail/short_lock.hpp>
#include <nearfork/detail/short_loop.hpp>

namespace nearfork::detail {

struct fiber;

/// Which forks of a fiber are cancelled: all from one slot of its deque on. The owner writes it, and thieves whose jobs
/// threw.
class fork_cancellation {
 public:
  /// For a fork that is given up, whose job lies in `position`: the job and all jobs above it shall stop.
  static slot_address at(const void* position) noexcept { return address_of(position); }
  /// For a fork whose stolen job, of `position`, threw: all jobs above it, which are the other child's work, shall
  /// stop.
  static slot_address above(const void* position) noexcept { return address_of(position) + 1; }

  /// True if the work of a frame whose jobs begin at `position` is to stop. The frame's own forks, which begin there,
  /// too, lie inside the frame, not around it.
  [[nodiscard]] bool reaches_frame(const void* position) const noexcept { return is_below(at(position)); }
  [[nodiscard]] bool is_below(slot_address end) const noexcept {
    return lowest_.load(seam::memory_order_relaxed) < end;
  }
  void cancel(slot_address from) noexcept;
  /// Owner only: the fork of `position` is over.
  void owner_forget(const void* position) noexcept {
    if (lowest_.load(seam::memory_order_relaxed) != none) [[unlikely]]
      forget_from(at(position));
  }

 private:
  static constexpr slot_address none = UINTPTR_MAX;
  void forget_from(slot_address from) noexcept;
  seam::atomic<slot_address> lowest_{none};
};

struct cancel_scope : scope_link {
  cancel_scope() noexcept = default;
  /// For jobs in `position` and above.
  cancel_scope(cancel_scope* around, fiber* home, const void* position) noexcept
      : parent(around), on(home), cut_below(fork_cancellation::at(position)) {}

  const cancellation_token* token = nullptr;
  const cancel_scope* parent = nullptr;  // the scope around this one, also on another fiber; nullptr: none
  fiber* on = nullptr;                   // this scope is also cancelled if on->cancelled_forks.is_below(cut_below)
  slot_address cut_below = 0;
  /// So many cancellations there had been in this process when neither this scope nor one around it was cancelled; 0:
  /// not known. Else each group would ask all scopes around it while anything is cancelled.
  mutable seam::atomic<std::uint32_t> clear_after{0};
  /// What is around it does not cancel it: its frame runs while an exception unwinds the fiber.
  seam::atomic<bool> shielded{false};
  seam::atomic<bool> cancelled{false};
};

/// The slow half of must_stop().
[[nodiscard]] bool any_cancelled(const cancel_scope* innermost) noexcept;

/// True if `innermost` or a scope around it is cancelled.
[[nodiscard]] inline bool must_stop(const cancel_scope* innermost) noexcept {
  return !nothing_is_cancelled() && any_cancelled(innermost);
}

/// Cancels a scope: its work stops at its next look. Any thread may call it, also twice.
void cancel(cancel_scope& scope) noexcept;
/// Makes the scope as new. Its work must be done, and no thread may cancel it any more.
void forget_cancellation_slow(cancel_scope& scope) noexcept;
inline void forget_cancellation(cancel_scope& scope) noexcept {
  if (scope.cancelled.load(seam::memory_order_relaxed)) [[unlikely]]
    forget_cancellation_slow(scope);
}

/// Opens a scope on the calling fiber, from construction to destruction.
class open_scope {
 public:
  /// Inside the innermost open scope of this fiber. `token` cancels it, too. While an exception unwinds this fiber, no
  /// scope around this one cancels it, because a loop in a destructor must not throw.
  explicit open_scope(const cancellation_token* token = nullptr) noexcept;
  /// Inside `parent`, which may be on another fiber.
  explicit open_scope(const cancel_scope& parent) noexcept;
  ~open_scope();
  open_scope(const open_scope&) = delete;
  open_scope& operator=(const open_scope&) = delete;

  [[nodiscard]] cancel_scope& scope() noexcept { return scope_; }
  [[nodiscard]] const cancel_scope& scope() const noexcept { return scope_; }

 private:
  void link() noexcept;

  cancel_scope scope_;
  cancel_scope* outer_;
};

/// The innermost open scope of the calling fiber; nullptr outside workers.
[[nodiscard]] const cancel_scope* scope_here() noexcept;

/// Throws nearfork::cancelled. What destructors fork until it is caught is not cancelled, and runs in place.
[[noreturn]] NEARFORK_COLD void throw_cancelled();
/// Call it in a handler: true if the handled exception is nearfork::cancelled.
[[nodiscard]] bool handles_cancelled() noexcept;

/// One parallel loop: its scope, and the exception that ended it. If several pieces throw, the exception of the lowest
/// position wins.
class loop_scope {
 public:
  explicit loop_scope(const cancellation_token& token) noexcept : open_(token.can_cancel() ? &token : nullptr) {}

  [[nodiscard]] bool must_stop() const noexcept { return detail::must_stop(&open_.scope()); }
  /// True once a body was so quick that looking for a cancellation after each body does not pay. Relaxed: a hint.
  [[nodiscard]] bool bodies_are_quick() const noexcept { return quick_.load(seam::memory_order_relaxed); }
  void note_quick_bodies() noexcept { quick_.store(true, seam::memory_order_relaxed); }

  /// How many bodies may be called in one go: 0 if each takes long, or as long as it is not known. Relaxed: a hint.
  [[nodiscard]] std::size_t batch() const noexcept { return batch_.load(seam::memory_order_relaxed); }
  void note_batch(std::size_t bodies) noexcept {
    bodies = std::min(bodies, most_in_batch_);
    if (batch() != bodies) batch_.store(bodies, seam::memory_order_relaxed);
  }
  /// Call it before the first body of [0, end).
  void limit_batch(std::size_t bodies, std::size_t end) noexcept {
    most_in_batch_ = bodies;
    end_ = end;
  }
  /// Whether the bodies of [lo, hi) may be called in one go. The batches of loops that take some microseconds become
  /// smaller at the end: of 4000 bodies the last 16, of 100 us each, lay in one.
  [[nodiscard]] bool is_batch(std::size_t lo, std::size_t hi) const noexcept {
    const std::size_t bodies = hi - lo;
    const std::size_t most = batch();
    const std::size_t few = std::max(few_bodies, most / 16);
    return bodies <= most && (bodies <= few || bodies <= (end_ - lo) / 2 || !lasts_.load(seam::memory_order_relaxed));
  }
  /// A subtree of so many bodies took so long: the batch grows, or becomes smaller.
  void note_subtree(std::size_t bodies, std::uint64_t ticks) noexcept;

  /// Call it in a handler: the piece that begins at `position` threw.
  NEARFORK_COLD void fail(std::size_t position) noexcept;
  /// True once fail() was called. Relaxed: a look may be early.
  [[nodiscard]] bool has_failed() const noexcept { return open_.scope().cancelled.load(seam::memory_order_relaxed); }
  /// Call it after all pieces. Throws the exception that fail() kept, or nearfork::cancelled if the loop was cancelled
  /// from outside.
  void finish() {
    if (!nothing_is_cancelled()) [[unlikely]]
      finish_cancelled();
  }

 private:
  NEARFORK_COLD void finish_cancelled();

  open_scope open_;
  seam::atomic<bool> quick_{false};
  seam::atomic<std::size_t> batch_{0};
  std::size_t most_in_batch_ = SIZE_MAX;
  std::size_t end_ = 0;
  seam::atomic<bool> lasts_{false};
  short_lock lock_;
  std::size_t position_ = 0;
  std::exception_ptr failure_;
};

}  // namespace nearfork::detail

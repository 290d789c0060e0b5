// What can be cancelled as a whole: a loop, a group, the children of a fork, a stolen job. Scopes form a tree; work in a
// scope stops when the scope or one around it is cancelled, on whichever worker the work runs.
//
// A program that cancels nothing pays one load of `cancellations` per look. Forks pay nothing: they look on their slow path, and
// whoever cancels sends every worker there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>

#include <nearfork/cancellation.hpp>
#include <nearfork/detail/callable.hpp>
#include <nearfork/detail/scope_chain.hpp>
#include <nearfork/detail/seam.hpp>

namespace nearfork::detail {

struct fiber;

struct cancel_scope : scope_link {
  const cancel_scope* parent =
      nullptr;  // the scope around this one, perhaps on another fiber; nullptr: none may cancel it
  const cancellation_token* token = nullptr;
  fiber* on = nullptr;  // with `from`: cancelled when a fork below on that fiber is (fork_cancellation)
  std::uint32_t from = none;
  bool shielded = false;  // it was opened while its fiber unwound
  seam::atomic<bool> cancelled{false};
};

/// Which forks of a fiber are cancelled: all from one deque index on. Written by the owner, and by thieves whose jobs threw.
class fork_cancellation {
 public:
  /// The fork whose job lies in slot `index` is given up: the job, and all that lies above, shall stop.
  static constexpr std::uint32_t at(std::uint32_t index) noexcept { return 2 * index; }
  /// The job of slot `index` threw: all that lies above, the other child's work, shall stop.
  static constexpr std::uint32_t above(std::uint32_t index) noexcept { return 2 * index + 1; }

  [[nodiscard]] bool reaches(std::uint32_t index) const noexcept {
    return lowest_.load(seam::memory_order_relaxed) <= at(index);
  }
  void cancel(std::uint32_t from) noexcept;
  /// The owner: the fork of slot `index` is over.
  void owner_forget(std::uint32_t index) noexcept {
    if (lowest_.load(seam::memory_order_relaxed) != none) [[unlikely]]
      forget_from(at(index));
  }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  void forget_from(std::uint32_t from) noexcept;
  seam::atomic<std::uint32_t> lowest_{none};
};

[[nodiscard]] bool any_cancelled(const cancel_scope* innermost) noexcept;

/// True if `innermost` or a scope around it is cancelled.
[[nodiscard]] inline bool must_stop(const cancel_scope* innermost) noexcept {
  return cancellations.load(seam::memory_order_relaxed) != 0 && any_cancelled(innermost);
}

/// Any thread. Work in the scope stops as soon as it looks. Twice is fine.
void cancel(cancel_scope& scope) noexcept;
/// The scope is as new. Its work must be done, and with it whoever might cancel it.
void forget_cancellation_slow(cancel_scope& scope) noexcept;
inline void forget_cancellation(cancel_scope& scope) noexcept {
  if (scope.cancelled.load(seam::memory_order_relaxed)) [[unlikely]]
    forget_cancellation_slow(scope);
}

/// Opens a scope on the fiber that runs here, from construction to destruction.
class open_scope {
 public:
  /// In the scope that is open here, and cancelled with `token`, too. While an exception unwinds this fiber nothing around the
  /// scope cancels it: a loop in a destructor must not throw.
  explicit open_scope(const cancellation_token* token = nullptr) noexcept;
  /// In `parent`, wherever that stands.
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

/// The scope in which the caller stands; nullptr outside workers.
[[nodiscard]] const cancel_scope* scope_here() noexcept;

/// From here to the next handler of ours the fiber unwinds: what destructors fork is not cancelled, and runs in place.
[[noreturn]] NEARFORK_COLD void throw_cancelled();
void shield_unwinding() noexcept;
/// In a handler of ours: the fiber unwinds no more.
void end_unwinding() noexcept;
/// In a handler: it is nearfork::cancelled that is being handled.
[[nodiscard]] bool handles_cancelled() noexcept;

/// One parallel loop: its scope, and the exception that ended it. Of several the one of the lowest position wins.
class loop_scope {
 public:
  explicit loop_scope(const cancellation_token& token) noexcept : open_(token.can_cancel() ? &token : nullptr) {}

  [[nodiscard]] bool must_stop() const noexcept { return detail::must_stop(&open_.scope()); }
  /// Whether a body was seen to take less than looking for a cancellation is worth. Relaxed: a hint.
  [[nodiscard]] bool bodies_are_quick() const noexcept { return quick_.load(seam::memory_order_relaxed); }
  void note_quick_bodies() noexcept { quick_.store(true, seam::memory_order_relaxed); }

  /// In a handler: the piece that begins at `position` threw.
  NEARFORK_COLD void fail(std::size_t position) noexcept;
  /// After all pieces. Throws what fail() kept, and nearfork::cancelled if the loop was cut short from outside.
  void finish() {
    if (cancellations.load(seam::memory_order_relaxed) != 0) [[unlikely]]
      finish_cancelled();
  }

 private:
  NEARFORK_COLD void finish_cancelled();

  open_scope open_;
  seam::atomic<bool> quick_{false};
  seam::atomic<bool> locked_{false};
  std::size_t position_ = 0;
  std::exception_ptr failure_;
};

}  // namespace nearfork::detail

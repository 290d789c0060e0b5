// What forks and their jobs do when something throws or is cancelled.
#pragma once

#include <nearfork/detail/fiber.hpp>

namespace nearfork::detail {

/// Begins a job of a fork on the calling fiber. False: the job is already cancelled and must not run.
[[nodiscard]] bool begin_fork_job() noexcept;
/// Call it after the job threw or was cancelled: tells its siblings to stop.
void end_failed_fork_job() noexcept;

/// Cancels the work of all forks from `position` on, until forget_cancelled_forks().
void cancel_forks_from(fiber& self, slot* position) noexcept;
void forget_cancelled_forks(fiber& self, slot* position) noexcept;

/// True if the task that forks at `position` is cancelled and must not fork any more.
[[nodiscard]] bool must_stop_at(fiber& self, slot* position) noexcept;

/// The scope is of what `self` does now: inside its innermost open scope, or shielded while an exception unwinds
/// `self`.
void put_here(cancel_scope& scope, fiber& self) noexcept;
/// Inside `parent`, which may be on another fiber.
void put_inside(cancel_scope& scope, const cancel_scope& parent, fiber& self) noexcept;

/// Nothing around the scope cancels it from now on. Before work of the scope can be taken by others.
void shield(cancel_scope& scope) noexcept;

/// True if a fork around the scope, on the scope's fiber, is given up.
[[nodiscard]] bool is_cut_short(const cancel_scope& scope) noexcept;
/// True if something around the scope is cancelled or given up; the scope itself may be cancelled or not.
[[nodiscard]] bool is_cancelled_around(const cancel_scope& scope) noexcept;

/// True while an exception unwinds the caller. Destructors may fork then: their children run in place, because a child
/// that a thief took could be cancelled, and its join would throw.
[[nodiscard]] bool must_run_in_place() noexcept;

/// An exception is about to unwind frames whose destructors may fork. Their first fork takes the slow path, which looks
/// at must_run_in_place().
void expect_unwinding(fiber& self) noexcept;

}  // namespace nearfork::detail

// Switches from fiber to fiber on one worker, and does what must happen on the far side.
#pragma once

#include "runtime/workers/worker.hpp"

namespace nearfork {

/// Leaves `from`, which runs on `self`, for `to`. `then` is done once `from` is off its stack. Returns when a worker
/// switches back to `from`, perhaps another worker.
void switch_fiber(worker& self, fiber& from, fiber& to, after_switch then) noexcept;

/// Goes on in `domain`, on the worker that is free first. If all its workers sleep, waking one takes 25 us. Stays here
/// if all of them have work, or if there is no stack for what this worker does next.
void go_on_in(fiber& self, std::uint32_t domain) noexcept;

/// Gives the task to the worker on a faster core that waits for it in the mailbox, and returns when that worker goes on
/// with it. Stays here if that worker has got other work, or if there is no stack for what this worker does next.
void give_up_task(fiber& self) noexcept;

/// What a task found that waits, worker::found_at_join, is for others, if it found anything: the worker does something
/// else first.
void hand_on_found(worker& self) noexcept;

/// Called first by the fiber that was switched to: does what the fiber that was left asked for.
void complete_switch(worker& self) noexcept;

}  // namespace nearfork

// A full fence in one other thread, by a signal, as in LCWS (work exposure by signals, 2023). For systems that refuse
// membarrier.
#pragma once

namespace nearfork {

/// Takes a real-time signal that the program has no handler for, and tries it on the calling thread. Only the first
/// call in a process does it. Returns 0, or an error number: EBUSY if all signals are taken, else why the try had no
/// answer. The signal stays taken to the end of the process. Thread-safe.
[[nodiscard]] int prepare_signal_fence() noexcept;

/// The signal that was taken, for reports; 0 if none.
[[nodiscard]] int fence_signal() noexcept;

/// Lets the calling thread answer, if its creator blocked signals. Returns its thread_number().
[[nodiscard]] int answer_signal_fences() noexcept;

/// Interrupts the thread of this number and waits until it has passed a full fence, up to two milliseconds. False: it
/// has not, because it is over, blocks the signal or waits for a core. A system call that it waits in ends with EINTR
/// if the kernel does not restart it. Thread-safe; call it after prepare_signal_fence() has returned 0.
[[nodiscard]] bool fence_in_thread(int thread) noexcept;

}  // namespace nearfork

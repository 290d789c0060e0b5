// Whether exit() has begun, and who may go on with it.
//
// exit() runs on any thread, also on a worker, while others still run tasks.
#pragma once

namespace nearfork {

/// exit() has begun, as far as is known: surely where it was called in a task, or where expect_end() came after the
/// static object's construction that is destroyed now.
[[nodiscard]] bool process_is_ending() noexcept;
/// For a thread that runs fibers: exit() first destroys the thread_locals of the thread that calls it.
void watch_for_exit_in_tasks() noexcept;
/// Static objects that are complete by now will see process_is_ending() in their destructors. Counts the first 32 calls
/// only.
void expect_end() noexcept;

/// Where exit() goes on: returns in the call that came first. Another one's thread sleeps until the process is gone, as
/// with glibc 2.41; older ones let both go on, and free their list of handlers twice. Tasks come here before any
/// handler is called; of two other threads the second may have come too late to be kept out.
void keep_out_second_exit() noexcept;

}  // namespace nearfork

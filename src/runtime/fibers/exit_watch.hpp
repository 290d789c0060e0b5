// Whether exit() has begun, and which of its callers may go on.
//
// exit() may run on any thread, also on a worker's, while other threads still run tasks.
#pragma once

namespace nearfork {

/// Whether exit() has begun, as far as is known. Reliable if exit() was called in a task, or if the caller is the
/// destructor of a static object that was constructed before expect_end().
[[nodiscard]] bool process_is_ending() noexcept;
/// For a thread that is about to run a task. Works because exit() first destroys the thread_locals of the thread that
/// calls it. The first call of a thread waits while another thread is in dlopen() or dlclose(). A destructor in
/// dlclose() may wait for the end of a runtime: so threads that have had no task must end without this call.
void watch_for_exit_in_tasks() noexcept;
/// The destructors of static objects that are complete by now will see process_is_ending(). Only the first 32 calls
/// count.
void expect_end() noexcept;

/// Returns only for the first caller of exit(). The thread of any other caller sleeps until the process is gone, as in
/// glibc 2.41; older versions let both callers go on, and free their list of handlers twice. Tasks call this before any
/// handler runs. With two other threads, the second may call this too late to be kept out.
void keep_out_second_exit() noexcept;

}  // namespace nearfork

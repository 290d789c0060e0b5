// A deputy: a thread from outside that stands in for a sleeping worker while a call of the thread goes on. So a call
// that no thief joins wakes no thread.
//
// The call runs on a fiber, as on any worker, and may go on elsewhere after a join. Meanwhile the deputy works like a
// worker, until its call is done. But a caller may hold locks, and a task of another call that needs them must not
// block its thread. So a deputy leaves as soon as another call is in progress, and then sleeps until its call is done.
// Tasks of a group or a graph that a thread outside has made, and does not wait for yet, are such a call, too.
#pragma once

#include <nearfork/detail/job.hpp>
#include <nearfork/detail/tasks/done_signal.hpp>

#include "runtime/fibers/fiber_context.hpp"
#include "runtime/workers/worker.hpp"

namespace nearfork::detail {

/// A call from outside, as a deputy sees it.
struct outside_call {
  job& root;
  const done_signal& done;
  const worker*& begun_in;  // set before the root begins: whoever ends the root elsewhere wakes the deputy there
};

struct deputy {
  explicit deputy(const outside_call& its) noexcept : call(its) {}  // as an aggregate gcc clears all of it first
  const outside_call& call;
  bool begun = false;
  fiber_context thread_stack;  // the caller's own
};

}  // namespace nearfork::detail

namespace nearfork {

/// Whose place a deputy may take.
enum class places : std::uint8_t {
  of_sleepers,
  /// Also the place of a worker that was woken and is not up yet [P10]. For calls that only wait: what the worker was
  /// woken for comes after the root of the call.
  of_woken,
};

/// Begins `call` on the calling thread, which is no worker's. The caller then waits for `call`, which may not be done
/// yet. False: there is no such place, or this thread cannot stand in for its worker; nothing was begun.
[[nodiscard]] bool begin_as_deputy(crew& home, const detail::outside_call& call, places which) noexcept;

/// Racy: whether the calling thread may find such a place, or keeps one.
[[nodiscard]] bool may_find_place(crew& home) noexcept;

/// True: the calling thread keeps the place that its next call of `home` borrows, until it calls give_up_place().
/// False: the thread is a worker's, or keeps a place already. Throws as crew::enter().
[[nodiscard]] bool keep_place(crew& home);
void give_up_place() noexcept;
/// Whether the calling thread keeps a place, in any crew.
[[nodiscard]] bool keeps_place() noexcept;
/// The calling thread is about to wait for something else than a call: what it waits for may need the worker of the
/// place that it keeps. Its next call takes a place again.
void lend_kept_place() noexcept;

// --- for the loop of a worker ---

/// True: a deputy stands in for the worker, and its call is done or no longer the only one.
[[nodiscard]] bool deputy_must_leave(const worker& self) noexcept;
/// The call that a deputy is to begin; nullptr: none.
[[nodiscard]] job* first_of_deputy(worker& self) noexcept;
/// Goes on with the deputy's own stack. Returns when a worker resumes `loop`.
void leave_as_deputy(worker& self, fiber& loop) noexcept;

}  // namespace nearfork

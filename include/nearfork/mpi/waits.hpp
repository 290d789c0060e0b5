#pragma once

#include <nearfork/detail/language.hpp>

#include <cstddef>
#include <span>
#include <utility>

#include <nearfork/mpi/error.hpp>

namespace nearfork::mpi {

namespace detail {
/// What MPI_THREAD_SERIALIZED asks for: one thread in MPI at a time. Free under MPI_THREAD_MULTIPLE.
class call_lock {
 public:
  /// Throws mpi::error if MPI cannot be used.
  call_lock();
  ~call_lock();
  call_lock(const call_lock&) = delete;
  call_lock& operator=(const call_lock&) = delete;

 private:
  bool locked_;
};
}  // namespace detail

// Waits. The task is suspended, its worker goes on with other tasks, and the task goes on when MPI says that the
// request is complete. On a thread that is no worker the thread itself waits.
//
// For all functions here:
// - Thread-safety: any thread, any number of tasks at once; a request belongs to one wait at a time.
// - MPI must have been initialised with MPI_THREAD_MULTIPLE or MPI_THREAD_SERIALIZED.
// - Throws: mpi::error if MPI reports an error, after all requests of the call are complete; nearfork::cancelled if the
//   task was cancelled before the call: the requests are then as they were. A wait that has begun ends with its
//   message.
// - `where`: the place of the call in messages and reports of long waits.

/// As MPI_Wait: afterwards `request` is MPI_REQUEST_NULL, or inactive if it is persistent. Source: MPI 3.1, 3.7.3.
/// Complexity: a suspension, and a share of MPI_Testsome per poll.
void wait(MPI_Request& request, MPI_Status* status = MPI_STATUS_IGNORE,
          call_site where = {__builtin_FILE(), __builtin_LINE()});
/// As MPI_Waitall: the task goes on once, when all are complete. `statuses`: as many, or MPI_STATUSES_IGNORE.
void wait_all(std::span<MPI_Request> requests, MPI_Status* statuses = MPI_STATUSES_IGNORE,
              call_site where = {__builtin_FILE(), __builtin_LINE()});
/// As MPI_Waitany. Returns: the index of a request that is complete; requests.size() if none is active.
/// Complexity: the poller looks at these requests by MPI_Testany, apart from all others.
[[nodiscard]] std::size_t wait_any(std::span<MPI_Request> requests, MPI_Status* status = MPI_STATUS_IGNORE,
                                   call_site where = {__builtin_FILE(), __builtin_LINE()});
/// As MPI_Test. A task that tests in a loop is suspended now and then, after 16 failures in a row on its worker: so the
/// task that sends what it waits for has a turn, on one worker, too. Returns: whether the request is complete.
[[nodiscard]] bool test(MPI_Request& request, MPI_Status* status = MPI_STATUS_IGNORE,
                        call_site where = {__builtin_FILE(), __builtin_LINE()});

/// As MPI_Probe. Another task that receives from the same rank with the same tag may get the message first: then
/// mprobe() is right. Returns: the status, for MPI_Get_count() and the like.
[[nodiscard]] MPI_Status probe(int from, int tag, MPI_Comm comm,
                               call_site where = {__builtin_FILE(), __builtin_LINE()});
/// As MPI_Mprobe. Returns: the message, for MPI_Imrecv() and wait(), or for MPI_Mrecv(), which does not block if the
/// message is short. Nobody else can receive it.
[[nodiscard]] MPI_Message mprobe(int from, int tag, MPI_Comm comm, MPI_Status* status = MPI_STATUS_IGNORE,
                                 call_site where = {__builtin_FILE(), __builtin_LINE()});

/// Calls f, in which the program calls MPI itself. Needed under MPI_THREAD_SERIALIZED alone, where only one thread may
/// be in MPI: the call holds the lock that nearfork's own calls take. f must not wait for anything.
/// Returns: what f returns. Throws: what f throws; mpi::error if MPI cannot be used.
template <class F>
decltype(auto) call(F&& f) {
  const detail::call_lock here;
  return std::forward<F>(f)();
}

}  // namespace nearfork::mpi

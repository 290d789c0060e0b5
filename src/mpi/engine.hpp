// The one poller of this process that asks MPI for the requests of all waiting tasks, and what nearfork knows of MPI.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include <nearfork/tasks/poll.hpp>

#include "mpi/awaited.hpp"
#include "mpi/request_blocks.hpp"

namespace nearfork::mpi {

class engine final : public poller {
 public:
  /// The engine, once MPI can be used. Throws mpi::error if it cannot: not initialised, finalised, too few threads.
  [[nodiscard]] static engine& ready(const called& what);

  /// Held during each call of MPI where only one thread may be in MPI; else it holds nothing.
  [[nodiscard]] std::unique_lock<std::mutex> lock() {
    return is_serialized_ ? std::unique_lock(calls_) : std::unique_lock<std::mutex>();
  }
  [[nodiscard]] bool is_serialized() const noexcept { return is_serialized_; }
  [[nodiscard]] std::mutex& calls() noexcept { return calls_; }

  /// From now on errors of calls on `what.comm` come back, if they would end the program. Throws mpi::error if that is
  /// no communicator.
  void return_errors(const called& what);
  /// The requests of `one` are begun. Resumes at once if they are complete, else after a poll.
  void await(awaited& one, resumer done);
  /// After the wait: throws what went wrong.
  void throw_if_failed(const awaited& one);
  [[noreturn]] void fail(const called& what, int code) {
    const auto held = lock();
    throw_error(what, code);
  }

  bool poll() noexcept override;
  /// 0: waits are not told, however long they take.
  void tell_after(std::uint64_t stall_ns) noexcept { stall_ns_.store(stall_ns, std::memory_order_relaxed); }
  /// By a signal handler that ends the process: the next poll says who waits and lets `signal` end it. False: nobody
  /// waits.
  [[nodiscard]] bool end_at_next_poll(int signal) noexcept;
  [[nodiscard]] static engine& instance() noexcept;

 private:
  engine() = default;
  void start(const called& what);
  static int at_finalize(MPI_Comm, int, void*, void*);
  void cut_off_all() noexcept;
  [[nodiscard]] bool test_at_once(awaited& one);
  void list(awaited& one);
  void finish(awaited& one) noexcept;
  void take_news();
  [[nodiscard]] bool test_single_waits();
  void tell_long_waits(std::uint64_t now);
  void tell_all_and_end(int signal) noexcept;
  [[nodiscard]] std::string text_of_wait(const awaited& one, std::uint64_t now) const;
  [[nodiscard]] std::string who() const;

  enum class state : int { fresh, usable, over };
  std::atomic<state> state_{state::fresh};
  std::mutex starting_;
  std::mutex calls_;
  std::mutex polls_;  // what follows belongs to its holder
  bool is_serialized_ = false;
  int keyval_ = MPI_KEYVAL_INVALID;
  int rank_ = 0;
  int ranks_ = 1;
  std::atomic<awaited*> news_{nullptr};
  std::atomic<std::size_t> waits_{0};
  std::atomic<int> signal_{0};
  std::atomic<std::uint64_t> stall_ns_{0};
  request_blocks requests_;
  std::vector<awaited*> single_waits_;  // that MPI_Testsome does not know
  std::vector<awaited*> listed_;
  std::uint64_t looked_for_stalls_ns_ = 0;
};

/// Nanoseconds of a clock that goes on evenly.
[[nodiscard]] std::uint64_t steady_ns() noexcept;

/// What most calls do: begins a non-blocking call, start(MPI_Request*), and waits for it.
template <class Start>
MPI_Status run_call(const called& what, Start&& start) {
  engine& here = engine::ready(what);
  here.return_errors(what);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status{};
  awaited wait{.what = what, .requests = &request, .count = 1, .statuses = &status};
  suspend(here, [&](resumer done) {
    int code = MPI_SUCCESS;
    {
      const auto held = here.lock();
      code = start(&request);
    }
    if (code != MPI_SUCCESS) here.fail(what, code);
    here.await(wait, std::move(done));
  });
  here.throw_if_failed(wait);
  return status;
}

}  // namespace nearfork::mpi

// Runs the ready tasks of one graph on the workers of a runtime.
//
// A worker comes to the graph by a call: a job in the pool of its domain. At most one call is in a pool at a time. A
// worker that takes it runs ready tasks until there is none.
// [W1] If tasks are ready, then a call is in a pool, or some worker has just taken one and not looked yet, or the
// worker
//      that made them ready is about to look. Before a worker begins a task while others are ready, it puts a call into
//      a pool. So ready tasks never wait for the end of a running one.
// [W2] The graph outlives its calls: wait() returns when no call is in a pool and no worker is in one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>

#include <nearfork/cancellation.hpp>
#include <nearfork/dataflow.hpp>
#include <nearfork/detail/cancel_scope.hpp>
#include <nearfork/detail/job.hpp>

#include "runtime/dataflow/task_web.hpp"
#include "runtime/protocols/short_lock.hpp"
#include "runtime/workers/crew.hpp"

namespace nearfork::detail {

class dataflow_engine {
 public:
  /// For the runtime `home`; nullptr: for the caller's.
  dataflow_engine(runtime* home, cancellation_token token);
  ~dataflow_engine();
  dataflow_engine(const dataflow_engine&) = delete;
  dataflow_engine& operator=(const dataflow_engine&) = delete;

  [[nodiscard]] void* take_block(std::size_t bytes, const call_site& where);
  void give_block(void* block, std::size_t bytes) noexcept;
  /// Sets `block` to nullptr when the graph owns it. Throws nearfork::error; std::bad_alloc.
  void add(dataflow_task& made, std::span<const access> accesses, void*& block);
  enum class afterwards : std::uint8_t { open, closed };
  void wait(afterwards then);
  void cancel() noexcept { detail::cancel(scope_); }
  [[nodiscard]] bool cancelled() const noexcept;

 private:
  class locked;
  struct call_for_worker : job {
    explicit call_for_worker(dataflow_engine& of_) noexcept;
    dataflow_engine& of;
  };
  enum class who : std::uint8_t { called_worker, waiting_frame };

  static void execute(job& self) noexcept;
  static void never_called(job&) {}
  fiber* work(who self) noexcept;
  [[nodiscard]] bool must_call() noexcept;
  [[nodiscard]] bool end_call() noexcept;
  void call_worker() noexcept;
  [[nodiscard]] task_end run(dataflow_task& one) noexcept;
  [[nodiscard]] task_end call(dataflow_task& one) noexcept;
  task_end note_failure() noexcept;
  void refuse_own_tasks() const;
  void wait_quietly() noexcept;
  void wait_here() noexcept;
  [[nodiscard]] bool may_run_here() const noexcept;
  [[nodiscard]] std::string drop_stuck();

  crew& home_;
  cancellation_token token_;
  cancel_scope scope_;
  short_lock lock_;
  // Under the lock.
  task_web web_;
  std::uint32_t calls_ = 0;   // in a pool, or a worker is in it
  bool call_waits_ = false;   // one of them is in a pool
  bool frame_waits_ = false;  // for end_of_calls_
  bool closed_ = false;
  std::exception_ptr failure_;  // the first

  call_for_worker for_worker_;
  job end_of_calls_;
};

}  // namespace nearfork::detail

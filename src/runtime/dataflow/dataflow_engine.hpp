// Runs the ready tasks of one graph on the workers of a runtime.
//
// A worker comes to the graph by a call: a job in the pool of its domain. At most one call is in a pool at a time. A
// worker that takes it runs ready tasks until there is none.
// [W1] If tasks are ready, then a call is in a pool, or some worker has just taken one and not looked yet, or the
//      worker that made them ready is about to look: at once, or some microseconds after the others have become slow
//      (help_trial.hpp). Before a worker begins a task while others are ready, it puts a call into a pool. So ready
//      tasks never wait for the end of a running one.
//      Where workers are beside several memory nodes, a task with much data is a call of its own: a job in a mailbox
//      (pushed), in the pool of a domain (it stays near), or run next by the worker that made it ready. It counts as a
//      call from the moment when it leaves the web.
// [W2] The graph outlives its calls: wait() returns when no call is in a pool and no worker is in one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <nearfork/cancellation.hpp>
#include <nearfork/dataflow.hpp>
#include <nearfork/detail/cancel_scope.hpp>
#include <nearfork/detail/job.hpp>

#include "base/threads/catch_up.hpp"
#include "runtime/dataflow/recorded_flow.hpp"
#include "runtime/dataflow/task_places.hpp"
#include "runtime/protocols/told_lock.hpp"
#include "runtime/trials/resting_workers.hpp"
#include "runtime/webs/task_web.hpp"
#include "runtime/workers/crew.hpp"

namespace nearfork::detail {

class dataflow_engine {
 public:
  /// For the runtime `home`; nullptr: for the caller's.
  dataflow_engine(runtime* home, cancellation_token token);
  ~dataflow_engine();
  dataflow_engine(const dataflow_engine&) = delete;
  dataflow_engine& operator=(const dataflow_engine&) = delete;

  [[nodiscard]] graph_id id() const noexcept { return id_; }
  [[nodiscard]] bool is_of_this_process() const noexcept { return home_.is_of_this_process(); }
  /// Of a task of `bytes` with these accesses.
  [[nodiscard]] std::size_t block_bytes(std::size_t bytes, std::span<const access> accesses) const noexcept {
    return nodes_ == nullptr ? bytes : block_with_record(bytes, accesses);
  }
  [[nodiscard]] void* take_block(std::size_t bytes, const task_place& to);
  void give_block(void* block, std::size_t bytes) noexcept;
  /// `parent`: nullptr, or the task that `made` is nested in. Sets `block` to nullptr when the graph owns it. Throws
  /// nearfork::error; std::bad_alloc.
  void add(dataflow_task& made, std::span<const access> accesses, dataflow_task* parent, void*& block);
  /// f(web, nodes), under the lock. `nodes`: nullptr if all workers are beside one memory node.
  template <class F>
  decltype(auto) with_web(const F& f);
  /// Of dataflow. Throws std::bad_alloc.
  [[nodiscard]] buffer_state& make_buffer(std::size_t bytes, std::size_t alignment, const call_site& where) const;
  /// The first since the last wait; nullptr: none.
  [[nodiscard]] std::exception_ptr failure() noexcept;
  enum class afterwards : std::uint8_t { open, closed };
  void wait(afterwards then);
  /// Of dataflow. Throw as they do.
  void keep(const call_site& where);
  void replay(const call_site& where);
  /// Tasks that are created now will run again.
  [[nodiscard]] bool is_kept() const noexcept { return script() != script_use::none; }
  void cancel() noexcept { detail::cancel(scope_); }
  [[nodiscard]] bool cancelled() const noexcept;
  /// A coroutine goes on because a task of the graph has ended. Until it is suspended again or over, it counts as a
  /// call: what it adds to the graph belongs to the wait in progress.
  class resumed_coroutine;
  /// By the task, before the coroutine can go on.
  void expect_resumption() noexcept;
  /// It does not.
  void renounce_resumption() noexcept;

  /// The graph is cancelled, or what is around it.
  [[nodiscard]] bool must_stop_now() const noexcept { return must_stop(&scope_); }

 private:
  class locked;
  struct call_for_worker : job {
    explicit call_for_worker(dataflow_engine& of_) noexcept;
    dataflow_engine& of;
  };
  enum class who : std::uint8_t { called_worker, waiting_frame, creating_frame };
  /// Whether the graph has tasks that nobody waits for yet, and counts as a call. never: a call around it is counted.
  enum class unwaited : std::uint8_t { no, is_counted, never };

  [[nodiscard]] static graph_id next_id() noexcept;
  [[nodiscard]] bool is_owner() const noexcept;
  void refuse_to_keep(const call_site& where) const;
  [[nodiscard]] void* take_block_slow(std::size_t bytes, const task_place& to, bool by_owner);
  void add_slow(dataflow_task& made, std::span<const access> accesses, dataflow_task* parent, void*& block);
  void add_or_fail(dataflow_task& made, std::span<const access> accesses, dataflow_task* parent);
  static void execute(job& self) noexcept;
  static void never_called(job&) {}
  static void execute_placed(job& self) noexcept;
  void begin_call(fiber& here) noexcept;
  fiber* work(who self, dataflow_task* next = nullptr) noexcept;
  [[nodiscard]] std::size_t others_that_run() const noexcept;
  [[nodiscard]] bool has_many() const noexcept;
  [[nodiscard]] bool has_enough() const noexcept;
  void help() noexcept;
  void let_workers_catch_up() noexcept;
  [[nodiscard]] bool has_mail_to_read() const noexcept;
  [[nodiscard]] std::uint32_t running_calls() const noexcept;
  [[nodiscard]] bool begin_rest() noexcept;
  void rest(help_trial& helps) noexcept;
  [[nodiscard]] bool end_rests() noexcept;

  // --- placed_tasks.cpp: where workers are beside several memory nodes ---
  [[nodiscard]] bool has_record(std::span<const access> accesses) const noexcept;
  [[nodiscard]] std::size_t block_with_record(std::size_t bytes, std::span<const access> accesses) const noexcept;
  void place_at_creation(dataflow_task& made, std::span<const access> accesses);
  [[nodiscard]] node_id own_node() const noexcept;
  dataflow_task* take_activated() noexcept;
  dataflow_task* activate(dataflow_task* first, bool may_run_one) noexcept;
  [[nodiscard]] bool send_to(node_id node, flow_record& pushed, rng& random) noexcept;
  [[nodiscard]] bool keep_near(flow_record& placed) noexcept;
  void put_back(dataflow_task& one) noexcept;

  // --- recorded_flow.cpp ---
  [[nodiscard]] task_clock* clock_here() const noexcept;
  class stopped_clock;
  [[nodiscard]] recorded_place place_for_record(const task_clock* here, const call_site& first) const;
  [[nodiscard]] recorded_place place_before_adding(dataflow_task& made, const task_clock* here);
  void begin_record(recorded_place where);
  void add_to_record(dataflow_task& made, std::span<const access> accesses, const task_clock* here) noexcept;
  [[nodiscard]] recorded_flow::creation creation_by(const task_clock* here) const noexcept;
  void do_recorded(dataflow_task& one, void (*step)(dataflow_task&));
  /// What has ended with a wait.
  struct ended_part {
    std::exception_ptr failure{};  // the first
    bool all_could_run = true;
    bool ran_all = true;
    recorded_flow* record = nullptr;              // nullptr: it was not recorded
    std::unique_ptr<recorded_flow> own_record{};  // `record`, unless a kept graph has it
  };
  [[nodiscard]] ended_part end_part(std::string* why_stuck, afterwards then);
  static void end_record(task_clock* waiter, const ended_part& of) noexcept;
  void drop_kept_record() noexcept;

  void count_as_call() noexcept;
  void count_no_more() noexcept;
  void wait_as_call() noexcept;
  [[nodiscard]] bool is_over() noexcept;
  void set_unwaited(unwaited how) noexcept;
  [[nodiscard]] bool must_call() noexcept;
  [[nodiscard]] bool end_call() noexcept;
  void call_worker() noexcept;
  [[nodiscard]] task_end run(dataflow_task& one) noexcept;
  [[nodiscard]] task_end call(dataflow_task& one) noexcept;
  task_end note_failure() noexcept;
  dataflow_task* end_replayed(dataflow_task& ended, task_end how) noexcept;
  void finish_wait(afterwards then);
  void give_up_script() noexcept;
  [[nodiscard]] bool is_own_task() const noexcept;
  void refuse_own_tasks() const;
  void wait_quietly() noexcept;
  void wait_here() noexcept;
  [[nodiscard]] bool take_back_call() noexcept;
  void leave_resumption() noexcept;
  [[nodiscard]] bool end_resumption(resumed_coroutine& ended) noexcept;
  void finish_calls() noexcept;
  [[nodiscard]] bool may_run_here() const noexcept;
  enum class script_use : std::uint8_t { none, written, replayed };
  [[nodiscard]] script_use script() const noexcept { return script_is_.load(seam::memory_order_relaxed); }
  void set_script(script_use how) noexcept { script_is_.store(how, seam::memory_order_relaxed); }
  bool wait_for_all(std::string* why_stuck);
  bool drop_stuck(std::string* why);

  const graph_id id_ = next_id();
  crew& home_;
  const void* const owner_;                            // the fiber, or the thread outside workers, that made the graph
  own_blocks own_blocks_;                              // of the owner alone, who needs no lock for them
  flow_nodes* const nodes_;                            // nullptr: all workers are beside one memory node
  std::optional<task_places> places_;                  // if there are several
  graph_recorder* const recorder_;                     // nullptr: nothing is recorded
  const bool adds_slowly_;                             // there are several nodes, or a recorder
  const std::size_t others_;                           // workers, but for the one that made the graph
  const int exceptions_ = std::uncaught_exceptions();  // of the owner, when the graph was made: it may unwind
  cancellation_token token_;
  cancel_scope scope_;
  told_lock lock_;
  // Under the lock.
  task_web web_;
  std::uint32_t calls_ = 0;                     // in a pool, or a worker is in it, or a coroutine that goes on
  std::uint32_t resumptions_ = 0;               // of these, coroutines
  resumed_coroutine* first_resumed_ = nullptr;  // those on workers
  bool call_waits_ = false;                     // one of them is in a pool
  bool frame_waits_ = false;                    // for end_of_calls_
  bool closed_ = false;
  bool begun_ = false;  // tasks were added since the last wait
  catch_up catch_up_;   // by a thread outside that creates tasks
  unwaited unwaited_ = unwaited::no;
  std::exception_ptr failure_;  // the first

  std::unique_ptr<replay_script> script_;  // of the tasks that are kept
  /// Changed while no task runs. Relaxed: a coroutine that goes on may read it while a wait ends, where
  /// it stays as it is.
  seam::atomic<script_use> script_is_{script_use::none};
  // Changed while no task runs; what they hold, under the lock.
  recorded_flow* record_ = nullptr;             // of the tasks since the last wait; nullptr: none
  std::unique_ptr<recorded_flow> own_record_;   // `record_`, if the tasks are not kept
  std::unique_ptr<recorded_flow> kept_record_;  // of the kept tasks

  resting_workers resting_;
  call_for_worker for_worker_;
  job end_of_calls_;
};

/// Lives while the coroutine runs, on the fiber that resumed it.
class dataflow_engine::resumed_coroutine {
 public:
  explicit resumed_coroutine(dataflow_engine& of) noexcept;
  ~resumed_coroutine();
  resumed_coroutine(const resumed_coroutine&) = delete;
  resumed_coroutine& operator=(const resumed_coroutine&) = delete;

 private:
  friend class dataflow_engine;
  dataflow_engine* of_;  // nullptr: it waits for the graph itself, or has; the graph may be gone
  const fiber* on_;
  resumed_coroutine* next_ = nullptr;
};

/// While it lives, no time counts for the recorded task that calls.
class dataflow_engine::stopped_clock {
 public:
  explicit stopped_clock(const dataflow_engine& of) noexcept;
  ~stopped_clock();
  stopped_clock(const stopped_clock&) = delete;
  stopped_clock& operator=(const stopped_clock&) = delete;
  /// nullptr: the caller is no recorded task.
  [[nodiscard]] task_clock* task() const noexcept { return task_; }

 private:
  task_clock* const task_;
};

/// Holds the graph's lock. A sanitizer does not see that the lock of the library, which it does not know, orders what
/// tasks do.
class dataflow_engine::locked {
 public:
  explicit locked(dataflow_engine& of) noexcept : of_(of) { of_.lock_.lock(); }
  /// Buffers may give memory back to the system, which takes long. The graph may be gone when they are destroyed.
  ~locked() {
    buffer_state* ended = of_.web_.take_ended_buffers();
    of_.lock_.unlock();
    while (ended != nullptr) std::exchange(ended, ended->next_ended)->destroy();
  }
  locked(const locked&) = delete;
  locked& operator=(const locked&) = delete;

 private:
  dataflow_engine& of_;
};

template <class F>
decltype(auto) dataflow_engine::with_web(const F& f) {
  const locked now(*this);
  return f(web_, nodes_);
}

inline std::exception_ptr dataflow_engine::failure() noexcept {
  const locked now(*this);
  return failure_;
}

}  // namespace nearfork::detail

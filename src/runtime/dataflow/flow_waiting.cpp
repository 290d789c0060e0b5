// The part of a graph's engine that waits for its tasks, and runs them meanwhile.
#include <string>
#include <utility>
#include <vector>

#include <nearfork/detail/fiber.hpp>
#include <nearfork/error.hpp>
#include <nearfork/tasks/suspend.hpp>

#include "base/soon.hpp"
#include "base/threads/patience.hpp"
#include "runtime/dataflow/dataflow_engine.hpp"
#include "runtime/forks/fork_cancelling.hpp"
#include "runtime/forks/given_jobs.hpp"
#include "runtime/forks/root_job.hpp"

namespace nearfork::detail {

namespace {

// With so many tasks, the frame that creates them runs some, as long as enough are ready for the other workers. A
// million tasks that nobody runs meanwhile fill the caches: on one worker 1180 ns a task that writes a datum of its
// own, 110 so; 1210 ns in a chain, 170 so.
constexpr std::size_t many_ready = 2048;
constexpr std::size_t enough_ready = 1024;
constexpr std::size_t many_unfinished = 8192;
constexpr std::size_t few_unfinished = 4096;

}  // namespace

/// Under the lock: those beside the caller. None, if those that came hold still and the caller can run tasks itself.
std::size_t dataflow_engine::others_that_run() const noexcept {
  return thread_mark() && resting_.count() != 0 && running_calls() == 0 ? 0 : others_;
}

/// Under the lock, after a task was added.
bool dataflow_engine::has_many() const noexcept {
  return web_.ready() > 2 * others_that_run() && (web_.ready() >= many_ready || web_.unfinished() >= many_unfinished) &&
         catch_up_.is_due(web_.added());
}
/// Under the lock: help() ends.
bool dataflow_engine::has_enough() const noexcept {
  return web_.ready() <= others_that_run() || (web_.ready() <= enough_ready && web_.unfinished() <= few_unfinished);
}

/// Runs ready tasks in the frame that made the graph, which has just created one. Not where a task could wait for what
/// the frame does next: task_group has the same rule.
void dataflow_engine::help() noexcept {
  if (!thread_mark()) return let_workers_catch_up();
  if (!home_.runs_caller() || !is_owner() || !may_run_here() || expects_waiting_tasks() || is_own_task()) return;
  const open_scope here(scope_);
  (void)work(who::creating_frame);
}

/// A thread outside cannot run tasks without a place.
void dataflow_engine::let_workers_catch_up() noexcept {
  const bool caught_up = catch_up::wait([this]() -> catch_up::progress {
    const locked now(*this);
    return {has_enough(), web_.ended()};
  });
  const locked now(*this);
  catch_up_.ended(web_.added(), caught_up);
}

bool dataflow_engine::is_own_task() const noexcept {
  for (const cancel_scope* each = scope_here(); each != nullptr; each = each->parent)
    if (each == &scope_) return true;
  return false;
}

void dataflow_engine::refuse_own_tasks() const {
  if (is_own_task())
    throw error(
        "nearfork: a task of a dataflow graph waits for its own graph, which waits for the task; call wait(), sync(), "
        "keep() and replay() in the frame that made the graph");
}

void dataflow_engine::wait(afterwards then) {
  home_.require_this_process();
  refuse_own_tasks();
  finish_wait(then);
}

void dataflow_engine::finish_wait(afterwards then) {
  const stopped_clock waits(*this);
  std::string stuck;
  ended_part ended = end_part(&stuck, then);
  end_record(waits.task(), ended);
  forget_cancellation(scope_);
  if (ended.failure != nullptr) rethrow_failure(std::move(ended.failure));
  if (!stuck.empty()) throw error(stuck);
  if (is_cancelled_around(scope_) && !must_run_in_place()) throw_cancelled();
}

/// Waits until there is no task. Those that other threads add from then on belong to the next part, also in recordings.
dataflow_engine::ended_part dataflow_engine::end_part(std::string* why_stuck, afterwards then) {
  leave_resumption();
  ended_part ended;
  for (;;) {
    if (!wait_for_all(why_stuck)) ended.all_could_run = false;
    const locked now(*this);
    if (web_.unfinished() != 0 || resumptions_ != 0) continue;
    web_.forget_all();
    count_no_more();
    ended.record = std::exchange(record_, nullptr);
    ended.own_record = std::move(own_record_);
    if (ended.own_record != nullptr) ended.own_record->let_go(web_);
    web_.keep_no_more();
    set_script(script_use::none);
    begun_ = false;
    catch_up_.begin_again();
    if (places_) places_->forget();
    closed_ = closed_ || then == afterwards::closed;
    ended.failure = std::exchange(failure_, nullptr);
    ended.ran_all = ended.failure == nullptr && !cancelled();
    return ended;
  }
}

/// Other threads, and coroutines that go on, may create tasks at any moment, also after wait_quietly() has seen none.
/// False: some could never run. `why_stuck`: nullptr, or set to why the first of them could not. Throws std::bad_alloc,
/// and can be called again.
bool dataflow_engine::wait_for_all(std::string* why_stuck) {
  bool all_could_run = true;
  for (;;) {
    wait_quietly();
    if (drop_stuck(why_stuck != nullptr && why_stuck->empty() ? why_stuck : nullptr)) all_could_run = false;
    const locked now(*this);
    if (web_.unfinished() == 0 && resumptions_ == 0) return all_could_run;
  }
}

/// False: there are none, or tasks have become ready meanwhile. As wait_for_all() otherwise.
bool dataflow_engine::drop_stuck(std::string* why) {
  std::vector<dataflow_task*> all;
  {
    const locked now(*this);
    if (web_.unfinished() == 0 || calls_ != 0 || web_.has_ready()) return false;
    all = web_.stuck_tasks();
    if (why != nullptr && !must_stop_now()) *why = web_.why_stuck();  // those of a cancelled graph are skipped
  }
  if (script() == script_use::none)
    for (dataflow_task* const each : all)
      if (each->kind->drop != nullptr) each->kind->drop(*each);
  {
    const locked now(*this);
    web_.end_stuck(all);
    if (web_.unfinished() == 0) web_.forget_all();
  }
  if (script() != script_use::none) give_up_script();
  return true;
}

// --- coroutines that go on ---

void dataflow_engine::expect_resumption() noexcept {
  const locked now(*this);
  ++calls_;
  ++resumptions_;
}

void dataflow_engine::renounce_resumption() noexcept {
  bool finishes = false;
  {
    const locked now(*this);
    --resumptions_;
    finishes = end_call();
  }
  if (finishes) finish_calls();
}

dataflow_engine::resumed_coroutine::resumed_coroutine(dataflow_engine& of) noexcept : of_(&of), on_(&this_fiber()) {
  const locked now(of);
  next_ = std::exchange(of.first_resumed_, this);
}

dataflow_engine::resumed_coroutine::~resumed_coroutine() {
  if (of_ != nullptr && of_->end_resumption(*this)) of_->finish_calls();
}

/// True: call finish_calls(). Else the graph may be gone afterwards.
bool dataflow_engine::end_resumption(resumed_coroutine& ended) noexcept {
  const locked now(*this);
  resumed_coroutine** at = &first_resumed_;
  while (*at != &ended) at = &(*at)->next_;
  *at = ended.next_;
  --resumptions_;
  return end_call();
}

/// A coroutine that has made the graph waits for it, and so not for itself.
void dataflow_engine::leave_resumption() noexcept {
  if (!thread_mark()) return;
  resumed_coroutine* own = nullptr;
  {
    const locked now(*this);
    own = first_resumed_;
    while (own != nullptr && own->on_ != &this_fiber()) own = own->next_;
  }
  if (own == nullptr) return;
  const bool finishes = end_resumption(*own);
  own->of_ = nullptr;
  if (finishes) finish_calls();
}

/// Where the runtime refuses the call, the program ends: the frame must not go on while tasks use it.
void dataflow_engine::wait_quietly() noexcept {  // NOLINT(bugprone-exception-escape)
  if (home_.runs_caller()) return wait_here();
  // In a child process another thread may have held the graph's lock, for ever.
  const bool looks = !thread_mark() && home_.is_of_this_process();
  if (looks && happens_soon([this] { return is_over(); }, [this] { return home_.has_free_place(); })) return;
  const auto wait = [](void* graph) { static_cast<dataflow_engine*>(graph)->wait_as_call(); };
  const auto may_leave = [](void* graph) noexcept {
    auto& waited = *static_cast<dataflow_engine*>(graph);
    const locked now(waited);
    return waited.running_calls() == 0;
  };
  with_patience("wait for a graph", [&] {
    call_from_outside(home_, {wait, this}, {__builtin_FILE(), __builtin_LINE()},
                      {.may_take = places::of_woken, .may_leave = may_leave});
  });
}

bool dataflow_engine::is_over() noexcept {
  const locked now(*this);
  return calls_ == 0 && !web_.has_ready();
}

void dataflow_engine::wait_as_call() noexcept {
  set_unwaited(unwaited::never);
  wait_here();
  set_unwaited(unwaited::no);
}

void dataflow_engine::set_unwaited(unwaited how) noexcept {
  const locked now(*this);
  count_no_more();
  unwaited_ = how;
}

/// Under the lock.
void dataflow_engine::count_no_more() noexcept {
  if (unwaited_ != unwaited::is_counted) return;
  unwaited_ = unwaited::no;
  home_.end_unwaited_call();
}

/// In a destructor that an exception runs, tasks would be taken for parts of the destructor, and a task that is
/// recorded or planned measures only what is its own. Then other workers run the tasks, or this one after the frame's
/// fiber is suspended.
bool dataflow_engine::may_run_here() const noexcept {
  const fiber& self = this_fiber();
  return !self.forks_are_seen() && !must_run_in_place();
}

/// The worker that was called may have other work for long, and nothing is left for it. True: it will not come, and
/// others may have added tasks meanwhile.
bool dataflow_engine::take_back_call() noexcept {
  {
    const locked now(*this);
    if (!call_waits_ || web_.has_ready()) return false;
  }
  if (!home_.take_out_of_injector(for_worker_)) return false;
  const locked now(*this);
  call_waits_ = false;
  (void)end_call();  // this frame does not wait yet
  return true;
}

void dataflow_engine::wait_here() noexcept {
  bool helps = may_run_here();
  for (;;) {
    if (helps) {
      const open_scope here(scope_);
      (void)work(who::waiting_frame);
      if (take_back_call()) continue;
    }
    bool wakes = false;
    {
      const locked now(*this);
      if (calls_ == 0) {
        if (!web_.has_ready()) return;
        helps = true;  // nobody could be called
        continue;
      }
      frame_waits_ = true;
      end_of_calls_.arm(kind_of<&never_called>);
      wakes = end_rests();
    }
    if (wakes) resting_.wake();
    wait_for_outside(this_fiber(), end_of_calls_);
  }
}

}  // namespace nearfork::detail

#include "runtime/dataflow/dataflow_engine.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <nearfork/detail/callable.hpp>
#include <nearfork/detail/fiber.hpp>
#include <nearfork/detail/stack_job.hpp>
#include <nearfork/detail/tracing.hpp>
#include <nearfork/error.hpp>
#include <nearfork/runtime.hpp>

#include "base/sanitizer_calls.hpp"
#include "base/threads/patience.hpp"
#include "runtime/forks/fork_cancelling.hpp"
#include "runtime/forks/given_jobs.hpp"
#include "runtime/forks/traced_task.hpp"
#include "runtime/webs/buffer_memory.hpp"
#include "runtime/webs/call_site_text.hpp"
#include "runtime/webs/task_steps.hpp"

namespace nearfork::detail {

namespace {

crew& caller_crew() {
  return thread_mark() ? this_fiber().runner->home : process_runtime().implementation_crew();
}
/// Throws where the graph could not wait for its tasks: its destructor would end the program.
crew& chosen(runtime* home) {
  crew& workers = home != nullptr ? home->implementation_crew() : caller_crew();
  workers.require_this_process();
  return workers;
}

/// The same for all code of a fiber, or of a thread outside workers.
const void* caller_mark() noexcept {
  if (thread_mark()) return &this_fiber();
  return &inside_worker;
}

bool needs_check(std::span<const access> accesses) noexcept {
  return std::ranges::any_of(accesses, [](const access& each) {
    const access_parts& what = each.parts();
    return what.data == nullptr || what.rule != nullptr || what.weak || what.pieces > task_web::most_pieces_unchecked;
  });
}

}  // namespace

dataflow_engine::call_for_worker::call_for_worker(dataflow_engine& of_) noexcept : job(kind_of<&execute>), of(of_) {}

dataflow_engine::dataflow_engine(runtime* home, cancellation_token token)
    : home_(chosen(home)),
      owner_(caller_mark()),
      nodes_(home_.flow()),
      recorder_(home_.recorder()),
      adds_slowly_(nodes_ != nullptr || recorder_ != nullptr),
      others_(home_.worker_count() - (home_.runs_caller() ? 1 : 0)),
      token_(std::move(token)),
      web_(&home_.graph_memory()),
      for_worker_(*this),
      end_of_calls_(kind_of<&never_called>) {
  if (thread_mark()) put_here(scope_, this_fiber());
  if (home_.runs_caller()) unwaited_ = unwaited::never;
  if (token_.can_cancel()) scope_.token = &token_;
  if (nodes_ != nullptr) places_.emplace(*nodes_);
}

dataflow_engine::~dataflow_engine() {
  if (std::uncaught_exceptions() > exceptions_) cancel();
  {
    const stopped_clock waits(*this);
    ended_part ended;
    with_patience("end a graph", [&] { ended = end_part(nullptr, afterwards::closed); });
    end_record(waits.task(), ended);
  }
  if (unwaited_ != unwaited::never) set_unwaited(unwaited::never);
  give_up_script();
  forget_cancellation(scope_);
}

bool dataflow_engine::cancelled() const noexcept {
  return scope_.cancelled.load(seam::memory_order_relaxed) || token_.cancelled();
}

buffer_state& dataflow_engine::make_buffer(std::size_t bytes, std::size_t alignment, const call_site& where) const {
  return make_buffer_state(id_, bytes, alignment, where, nodes_);
}

// --- tasks ---

bool dataflow_engine::is_owner() const noexcept {
  return caller_mark() == owner_;
}

/// The owner alone changes closed_ and script_is_, so it reads them without the lock.
void* dataflow_engine::take_block(std::size_t bytes, const task_place& to) {
  const bool by_owner = bytes <= block_store::largest && is_owner();
  if (by_owner && script() == script_use::none && !closed_ && home_.is_of_this_process()) [[likely]]
    if (void* const own = own_blocks_.take(bytes); own != nullptr) return own;
  return take_block_slow(bytes, to, by_owner);
}

void* dataflow_engine::take_block_slow(std::size_t bytes, const task_place& to, bool by_owner) {
  home_.require_this_process();  // a thread of the parent may have had the lock
  const locked now(*this);
  if (script() != script_use::none) [[unlikely]]
    refuse_to_keep(to.where);
  if (closed_ && to.parent == nullptr)
    throw error("nearfork: the task of " + to_text(to.where) +
                " was created after sync() of its graph; use wait() between the parts of a graph");
  if (!by_owner) return web_.blocks().take(bytes);
  own_blocks_.fill(web_.blocks(), bytes);
  return own_blocks_.take(bytes);
}

void dataflow_engine::give_block(void* block, std::size_t bytes) noexcept {
  const locked now(*this);
  web_.blocks().give(block, bytes);
}

void dataflow_engine::add(dataflow_task& made, std::span<const access> accesses, dataflow_task* parent, void*& block) {
  if (adds_slowly_ || parent != nullptr || made.kind->nested != nullptr || needs_check(accesses)) [[unlikely]]
    return add_slow(made, accesses, parent, block);
  bool calls = false;
  bool many = false;
  {
    const locked now(*this);
    block = nullptr;
    begun_ = true;
    count_as_call();
    web_.add_plain(made, accesses);  // if it throws, others go on as if without the task
    resting_.count_steps(resting_workers::steps_to_create);
    calls = must_call();
    many = has_many();
  }
  if (calls) call_worker();
  if (many) [[unlikely]]
    help();
}

void dataflow_engine::add_slow(dataflow_task& made, std::span<const access> accesses, dataflow_task* parent,
                               void*& block) {
  const struct dropped_unless_added {
    dataflow_task& made;
    void*& block;
    ~dropped_unless_added() {
      if (block != nullptr && made.kind->drop != nullptr) made.kind->drop(made);
    }
  } closure{made, block};
  bool calls = false;
  std::string wrong;
  dataflow_task* activated = nullptr;
  bool many = false;
  const stopped_clock creator(*this);
  recorded_place recorded;
  if (recorder_ != nullptr) recorded = place_before_adding(made, creator.task());
  if (nodes_ != nullptr) place_at_creation(made, accesses);
  {
    const locked now(*this);
    if (needs_check(accesses) || made.kind->nested != nullptr) wrong = web_.misuse(made, accesses, id_);
    if (parent != nullptr && wrong.empty()) wrong = web_.misuse_of_parent(made, accesses, *parent);
    if (wrong.empty()) {
      block = nullptr;
      if (recorder_ != nullptr && !begun_) begin_record(std::move(recorded));
      begun_ = true;
      count_as_call();
      resting_.count_steps(resting_workers::steps_to_create);
      add_or_fail(made, accesses, parent);
      if (recorder_ != nullptr) add_to_record(made, accesses, creator.task());
      calls = must_call();
      many = has_many();
      activated = take_activated();
    }
  }
  if (calls) call_worker();
  if (activated != nullptr) (void)activate(activated, false);
  if (!wrong.empty()) throw error(wrong);
  if (many) help();
}

/// Under the lock. A task that others will wait for in vain is a failure that wait() tells of, too.
void dataflow_engine::add_or_fail(dataflow_task& made, std::span<const access> accesses, dataflow_task* parent) {
  try {
    web_.add(made, accesses, parent, nodes_ == nullptr ? 0 : static_cast<std::uint32_t>(index_of_id(own_node())));
  } catch (...) {
    if (!made.left_out && failure_ == nullptr) failure_ = std::current_exception();
    throw;
  }
}

/// Under the lock, before tasks that are added now can run. A graph that a thread outside has made is a call from then
/// on: a deputy that has another call must not run its tasks (deputy.hpp).
void dataflow_engine::count_as_call() noexcept {
  if (unwaited_ != unwaited::no) [[likely]]
    return;
  unwaited_ = unwaited::is_counted;
  home_.begin_unwaited_call();
}

/// [W1]
bool dataflow_engine::must_call() noexcept {
  if (call_waits_ || !web_.has_ready()) return false;
  call_waits_ = true;
  ++calls_;
  return true;
}

/// Without memory, or in a runtime that ends, nobody comes: then the tasks run when the graph is waited for.
void dataflow_engine::call_worker() noexcept {
  try {
    if (home_.runs_caller()) home_.push_in_domain_of(*this_fiber().runner, {.start = &for_worker_});
    else home_.inject(for_worker_);
  } catch (...) {
    bool frame_waits = false;
    {
      const locked now(*this);
      call_waits_ = false;
      frame_waits = end_call();
    }
    if (frame_waits) finish_calls();
  }
}

void dataflow_engine::execute(job& self) noexcept {
  dataflow_engine& me = static_cast<call_for_worker&>(self).of;
  me.begin_call(this_fiber());
  resume_waiter(me.work(who::called_worker));
}

/// The job of a flow_record.
void dataflow_engine::execute_placed(job& self) noexcept {
  auto& record = static_cast<flow_record&>(self);
  sanitizers::take_over(&record);
  dataflow_engine& me = record.graph();
  me.begin_call(this_fiber());
  resume_waiter(me.work(who::called_worker, &record.task()));
}

void dataflow_engine::begin_call(fiber& here) noexcept {
  here.stolen_from = {};
  here.base.parent = &scope_;
}

/// Outside calls. The graph may be gone afterwards.
void dataflow_engine::finish_calls() noexcept {
  if (fiber* const waiter = end_of_calls_.finish()) waiter->runner->home.make_ready(*waiter);
}

/// [W2] True: the caller must finish end_of_calls_, without the lock. Else the graph may be gone afterwards.
bool dataflow_engine::end_call() noexcept {
  return --calls_ == 0 && std::exchange(frame_waits_, false);
}

// --- workers that rest ---

/// Under the lock. Those that neither are in a pool nor rest.
std::uint32_t dataflow_engine::running_calls() const noexcept {
  return calls_ - resumptions_ - (call_waits_ ? 1 : 0) - resting_.count();
}

/// Under the lock. False: nobody else would run tasks.
bool dataflow_engine::begin_rest() noexcept {
  if (frame_waits_ && running_calls() == 1) return false;
  resting_.begin_rest();
  return true;
}

/// After begin_rest(), without the lock.
void dataflow_engine::rest(help_trial& helps) noexcept {
  resting_.rest(helps, [this] { return has_mail_to_read(); });
  const locked now(*this);
  resting_.end_rest();
}

/// Under the lock, when a worker or the frame that waits has stopped. True: wake those that rest, without the lock.
bool dataflow_engine::end_rests() noexcept {
  if (resting_.count() == 0 || !frame_waits_ || running_calls() != 0) return false;
  resting_.end_all();
  return true;
}

// --- ready tasks ---

/// Runs `next`, then ready tasks until there is none, or until pushed tasks wait for this worker. Returns the fiber
/// that waits for the last call; afterwards the graph may be gone.
fiber* dataflow_engine::work(who self, dataflow_task* next) noexcept {
  dataflow_task* ended = nullptr;
  auto how = task_end::well;
  std::uint32_t runs_as_call = 0;  // the task that runs left the web as a call of its own: [W1]
  const fiber& here = this_fiber();
  help_trial helps;
  for (bool begins = self == who::called_worker && next == nullptr;; begins = false) {
    dataflow_task* activated = nullptr;
    if (next == nullptr) {
      bool rests = self == who::called_worker && ended != nullptr && helps.ran_one() && resting_.is_hindrance(helps);
      bool calls = false;
      bool frame_waits = false;
      bool wakes = false;
      {
        const locked now(*this);
        if (begins) call_waits_ = false;
        calls_ -= std::exchange(runs_as_call, 0);
        if (ended != nullptr) {
          web_.end(*std::exchange(ended, nullptr), how);
          resting_.count_steps(resting_workers::steps_to_end);
        }
        activated = take_activated();
        rests = rests && activated == nullptr && begin_rest();
        if (activated == nullptr && !rests && !has_mail_to_read() && (self != who::creating_frame || !has_enough()))
          next = web_.take_ready({.number = here.runner->index, .of = home_.worker_count()});
        calls = !rests && must_call();
        const bool leaves = next == nullptr && activated == nullptr && !rests && self == who::called_worker;
        if (leaves) frame_waits = end_call();
        wakes = leaves && end_rests();
      }
      if (wakes) resting_.wake();
      if (calls) call_worker();
      if (rests) {
        rest(helps);
        continue;
      }
      if (next == nullptr && activated == nullptr) return frame_waits ? end_of_calls_.finish() : nullptr;
    }
    if (activated != nullptr) {
      next = activate(activated, true);
      if (next == nullptr) continue;
      runs_as_call = 1;
    }
    how = run(*next);
    ended = std::exchange(next, nullptr);
    if (script() == script_use::replayed) next = end_replayed(*std::exchange(ended, nullptr), how);
  }
}

// --- one task ---

task_end dataflow_engine::run(dataflow_task& one) noexcept {
  if (one.next_step == dataflow_task::step::fold) return call(one);
  const task_end how = one.skipped || must_stop(&scope_) ? task_end::skipped : call(one);
  if (one.kind->drop != nullptr && (script() == script_use::none || one.place == task_notes::nowhere))
    one.kind->drop(one);
  return how;
}

namespace {

/// Inline: out of line each task took nearly a nanosecond more.
NEARFORK_INLINE void call_traced(dataflow_task& one) {
  if (!anybody_traces()) [[likely]]
    return one.kind->call(one);
  const traced_task traced(*this_fiber().runner, &one, traces::task_origin::dataflow);
  one.kind->call(one);
}

}  // namespace

task_end dataflow_engine::call(dataflow_task& one) noexcept {
  if (one.left_out && one.next_step == dataflow_task::step::body) [[unlikely]]
    return task_end::well;
  try {
    if (one.next_step == dataflow_task::step::fold) {
      if (record_ == nullptr) [[likely]]
        fold_copies(one);
      else do_recorded(one, &fold_copies);
    } else {
      prepare_arguments(one, web_, nodes_,
                        {.worker = this_fiber().runner->index, .node = nodes_ == nullptr ? node_id{} : own_node()});
      if (one.flow_accesses != 0) [[unlikely]]
        places_->count_bytes(flow_record::of(one), own_node());
      if (record_ == nullptr) [[likely]]
        call_traced(one);
      else do_recorded(one, [](dataflow_task& each) { call_traced(each); });
    }
    return task_end::well;
  } catch (...) {
    drop_copies(one);
    return note_failure();
  }
}

/// An exception that only tells of a cancellation is no failure of its own.
task_end dataflow_engine::note_failure() noexcept {
  if (handles_cancelled() && must_stop(&scope_)) return task_end::skipped;
  std::exception_ptr thrown = std::current_exception();
  const locked now(*this);
  if (failure_ == nullptr) failure_ = std::move(thrown);
  return task_end::failed;
}

}  // namespace nearfork::detail

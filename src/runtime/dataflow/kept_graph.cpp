// The part of a graph's engine that keeps its tasks and runs them again.
//
// In a replay all that the tasks depend on is known. So a worker that ends a task counts down those that follow,
// without the graph's lock, and runs the first that is ready; the others go to the graph's list. Where workers are
// beside several memory nodes, or tasks have priorities, or one must have data alone, all go through the web.
#include <string>
#include <utility>

#include <nearfork/error.hpp>

#include "runtime/dataflow/dataflow_engine.hpp"
#include "runtime/webs/call_site_text.hpp"

namespace nearfork::detail {

/// Under the lock.
void dataflow_engine::refuse_to_keep(const call_site& where) const {
  const auto task = [&] { return "nearfork: the task of " + to_text(where); };
  if (script() == script_use::replayed)
    throw error(task() + " was created while its graph is replayed; create tasks when replay() has returned");
  if (is_own_task())
    throw error(task() +
                " was created by a task of its graph, which is kept; the tasks of a kept graph are created by the "
                "frame that made it");
}

void dataflow_engine::keep(const call_site& where) {
  home_.require_this_process();
  refuse_own_tasks();
  {
    const locked now(*this);
    if (begun_ || closed_)
      throw error("nearfork: keep() of " + to_text(where) +
                  (closed_ ? " comes after sync() of the graph" : " comes after tasks of the graph") +
                  "; call it before the first task, or after wait()");
  }
  give_up_script();
  auto made = std::make_unique<replay_script>();
  if (recorder_ != nullptr) kept_record_ = std::make_unique<recorded_flow>(*recorder_, made.get());
  const locked now(*this);
  record_ = kept_record_.get();
  script_ = std::move(made);
  set_script(script_use::written);
  web_.keep_in(*script_);
}

void dataflow_engine::give_up_script() noexcept {
  if (script_ == nullptr) return;
  drop_kept_record();
  for (dataflow_task* const each : script_->tasks()) {
    if (each->kind->drop != nullptr) each->kind->drop(*each);
    task_web::let_go_of_buffers(*each);
  }
  const locked now(*this);
  web_.forget_all();  // a graph that ends without a wait, as by an exception, knows its tasks still
  web_.keep_no_more();
  web_.give_up(*script_);
  script_.reset();
  set_script(script_use::none);
}

void dataflow_engine::replay(const call_site& where) {
  home_.require_this_process();
  refuse_own_tasks();
  const auto call = [&] { return "nearfork: replay() of " + to_text(where); };
  if (script_ == nullptr)
    throw error(call() + " has no tasks to run: call keep() before the first task of the graph is created");
  if (begun_ || script() != script_use::none)
    throw error(call() + " comes while tasks of the graph are not waited for; call wait() or sync() first");
  if (!script_->is_complete())
    throw error(call() + " has not all tasks: there was no memory when one of them was created");
  script_->prepare();
  const task_clock* const here = clock_here();
  recorded_place recorded;
  if (kept_record_ != nullptr) recorded = place_for_record(here, script_->first_site(where));
  bool calls = false;
  dataflow_task* activated = nullptr;
  {
    const locked now(*this);
    set_script(script_use::replayed);
    record_ = kept_record_.get();
    if (record_ != nullptr) {
      record_->begin(std::move(recorded));
      record_->add_all_again(creation_by(here));
    }
    count_as_call();
    web_.begin_replay(*script_);
    calls = must_call();
    activated = take_activated();
  }
  if (calls) call_worker();
  if (activated != nullptr) (void)activate(activated, false);
  finish_wait(closed_ ? afterwards::closed : afterwards::open);
}

/// Returns a task that the caller runs next; nullptr: it takes one from the web.
dataflow_task* dataflow_engine::end_replayed(dataflow_task& ended, task_end how) noexcept {
  if (nodes_ != nullptr || script_->has_priorities() || ended.folds || ended.excludes) {
    const locked now(*this);
    web_.end(ended, how);
    return nullptr;  // the caller looks at once: [W1]
  }
  ended.next_step = dataflow_task::step::done;
  ended.failed = how == task_end::failed;
  ended.skipped = how == task_end::skipped;
  if (ended.kind->arguments != nullptr) task_web::note_buffers(ended);
  dataflow_task* next = nullptr;
  dataflow_task* others = nullptr;
  script_->end(ended, [&](dataflow_task& ready) {
    if (next == nullptr && !ready.excludes) next = &ready;
    else ready.next = std::exchange(others, &ready);
  });
  if (others == nullptr) return next;
  bool calls = false;
  {
    const locked now(*this);
    while (others != nullptr) web_.start_again(*std::exchange(others, others->next));
    calls = next != nullptr && must_call();
  }
  if (calls) call_worker();
  return next;
}

}  // namespace nearfork::detail

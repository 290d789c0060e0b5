// Forks whose children the library runs: those of a plan, of a full deque, of an outside thread, and raw ones.
#include <algorithm>
#include <optional>

#include <nearfork/detail/raw_task.hpp>
#include <nearfork/detail/scheduler.hpp>
#include <nearfork/runtime.hpp>
#include <nearfork/task_group.hpp>

#include "runtime/forks/planned_fork.hpp"
#include "runtime/forks/sibling_jobs.hpp"
#include "runtime/forks/tell_of_push.hpp"

namespace nearfork::detail {
namespace {

/// Throws the first failure by position, if there is one. nearfork::cancelled counts only if no child failed otherwise,
/// since it only says that a sibling failed. Drops the other exceptions.
void throw_first_failure(std::span<const slow_child> children) {
  const auto first_that = [&](ending how) {
    return std::ranges::find(children, how, [](const slow_child& child) { return child.as_job->ended(); });
  };
  auto first = first_that(ending::failure);
  if (first == children.end()) first = first_that(ending::cancelled);
  if (first == children.end()) return;
  std::exception_ptr failure = first->as_job->take_failure();
  for (const slow_child& child : children)
    if (child.as_job->ended() == ending::failure || child.as_job->ended() == ending::cancelled)
      (void)child.as_job->take_failure();
  rethrow_failure(std::move(failure));
}

using child_jobs = sibling_jobs<fork_job*>;

/// Joins the pushed children, which are all but the first; calls those that no thief took.
void join_rest(fiber& self, slot* first_slot, std::span<const slow_child> rest, std::size_t& next) {
  while (next < rest.size()) {
    const slow_child& child = rest[next];
    slot* const position = first_slot + (rest.size() - 1 - next++);
    if (self.jobs.owner_pop(position) || take_back_or_wait(self, position, *child.as_job)) child.call();
    else if (child.as_job->ended() != ending::value) child.as_job->throw_failure();
  }
}

push_outcome push(fiber& self, slot* head, std::span<job* const> pushed) noexcept {
  if (pushed.empty()) return push_outcome::pushed;
  if (!self.jobs.owner_may_push(head + pushed.size() - 1)) return push_wide_slow(pushed);
  for (job* const one : pushed) head++->store(one, seam::memory_order_relaxed);  // [D1], as in owner_offer()
  tell_of_push(self);
  self.jobs.owner_set_head(head);
  return push_outcome::pushed;
}

/// What the fast path of fork_join() does, for children of any number and type.
void run_children(std::span<const slow_child> children, const call_site& where) {
  fiber& self = this_fiber();
  slot* const first_slot = self.jobs.owner_head();
  const std::span<const slow_child> rest = children.subspan(1);
  child_jobs jobs(rest.size());
  sibling_jobs<job*> top_last(rest.size());
  for (std::size_t i = 0; i < rest.size(); ++i) top_last[rest.size() - 1 - i] = jobs[i] = rest[i].as_job;
  const push_outcome outcome = push(self, first_slot, top_last.all());
  if (outcome != push_outcome::pushed) return run_slowly(outcome, children, where);
  std::size_t next = 0;
  try {
    children[0].call();
    join_rest(self, first_slot, rest, next);
  } catch (...) {
    const std::exception_ptr cause = abandon_rest(jobs.all().subspan(next));
    if (cause != nullptr) rethrow_failure(cause);
    throw;
  }
}

struct outside_fork {
  std::span<const slow_child> children;
  const call_site& where;
  static void run(void* data) {
    const auto& me = *static_cast<const outside_fork*>(data);
    run_children(me.children, me.where);
  }
};

}  // namespace

void run_slowly(push_outcome why, std::span<const slow_child> children, const call_site& where) {
  switch (why) {
    case push_outcome::pushed: return;  // then nothing is slow
    case push_outcome::full:
      for (const slow_child& child : children) child.call();
      return;
    case push_outcome::planned: run_planned(this_fiber(), children); return throw_first_failure(children);
    case push_outcome::cancelled: throw_cancelled();
    case push_outcome::outside: outside_fork fork{children, where}; run_raw({&outside_fork::run, &fork}, where);
  }
}

// --- raw tasks ---

namespace {

/// As an object, so that it can be made before its task is known.
using raw_child = std::optional<slow_job<const raw_task>>;

}  // namespace

void fork_raw(std::span<const raw_task> calls) {
  if (calls.empty()) return;
  sibling_jobs<raw_child> jobs(calls.size());
  sibling_jobs<slow_child> children(calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) children[i] = jobs[i].emplace(calls[i]).child();
  const call_site where{"a raw fork", 0};
  if (thread_mark()) run_children(children.all(), where);
  else run_slowly(push_outcome::outside, children.all(), where);
}

void spawn_raw(task_group& group, raw_task added) {
  group.spawn(added);
}

void run_raw(raw_task called, const call_site& where) {
  if (thread_mark()) called();
  else process_runtime().call_on_worker(called, where);
}

}  // namespace nearfork::detail

// The part of a task web that is about tasks which commute: what some of them must have alone, and the copies of
// reductions, which are folded.
#include <memory>
#include <utility>

#include "runtime/webs/task_steps.hpp"
#include "runtime/webs/task_web.hpp"

namespace nearfork {

using detail::access_parts;
using detail::dataflow_argument;
using detail::reduction_copy;
using detail::shared_copies;

namespace {

/// The heap has smaller ones at hand.
constexpr std::size_t least_to_share = 4096;

}  // namespace

// --- what they have alone ---

void task_web::exclude(dataflow_task& one, exclusion& what) {
  if (std::exchange(what.asked_by, added_) == added_) return;
  exclusion_link* const link = exclusions_.take();
  *link = {&what, one.exclusions};
  one.exclusions = link;
  ++what.users;
}

void task_web::let_go_of(exclusion& what) noexcept {
  let_go(&what);
}

/// Nobody else has what this task must have alone.
bool task_web::can_exclude(const dataflow_task& one) noexcept {
  for (const exclusion_link* each = one.exclusions; each != nullptr; each = each->next)
    if (each->what->holder != nullptr && each->what->holder != &one) return false;
  return true;
}

/// Takes all or none, so that no two tasks wait for each other.
bool task_web::try_exclude(dataflow_task& one) noexcept {
  for (const exclusion_link* each = one.exclusions; each != nullptr; each = each->next) {
    if (each->what->holder == nullptr || each->what->holder == &one) continue;
    one.next = std::exchange(each->what->waiting, &one);
    return false;
  }
  for (const exclusion_link* each = one.exclusions; each != nullptr; each = each->next) each->what->holder = &one;
  return true;
}

/// Gives up all before the first waiting task looks: one that needs several would go from list to list.
void task_web::end_exclusions(dataflow_task& one) noexcept {
  for (const exclusion_link* each = one.exclusions; each != nullptr; each = each->next)
    if (each->what->holder == &one) each->what->holder = nullptr;
  for (const exclusion_link* each = one.exclusions; each != nullptr; each = each->next) start_waiting(*each->what);
  if (script_ == nullptr) forget_exclusions(one);
}

/// Up to the first that takes it. The others stay: if each looked each time, n tasks would look n * n times.
void task_web::start_waiting(exclusion& what) noexcept {
  while (what.holder == nullptr && what.waiting != nullptr) {
    dataflow_task& next = *std::exchange(what.waiting, what.waiting->next);
    if (try_exclude(next)) become_ready(next, turn::next);
  }
}

void task_web::forget_exclusions(dataflow_task& one) noexcept {
  for (exclusion_link* each = std::exchange(one.exclusions, nullptr); each != nullptr;) {
    let_go(each->what);
    exclusions_.give(std::exchange(each, each->next));
  }
}

// --- copies of reductions ---

/// After the task depends on what it must.
void task_web::copy_for(dataflow_task& one, std::size_t index, const access_parts& what) {
  if (what.bytes == 0) return;
  void* const block = blocks_.take(sizeof(reduction_copy));
  const bool any = what.any_copy && notes_ == nullptr;
  auto& made = *::new (block) reduction_copy{
      .original = what.data, .data = nullptr, .rule = what.rule, .shared = nullptr, .taken = nullptr, .any_copy = any};
  dataflow_argument& argument = one.kind->arguments(one)[index];
  argument.copied = &made;
  argument.is = dataflow_argument::content::copied;
  if (any || what.bytes >= least_to_share) made.shared = copies_for(made, what);
  if (any && made.shared != nullptr) made.shared->join();
}

/// Those of the cell's group: all of its tasks are known to whoever depends on some of these elements. nullptr: others
/// name other parts of them.
shared_copies* task_web::copies_for(const reduction_copy& made, const access_parts& what) {
  if (what.pieces != 1) return nullptr;
  const auto begin = reinterpret_cast<std::uintptr_t>(what.data);
  const data_cell* const whole = now_->find_exact(begin, begin + what.bytes);
  if (whole == nullptr) return nullptr;
  std::unique_ptr<shared_copies>& copies = whole->alone->copies;
  if (copies == nullptr) copies = std::make_unique<shared_copies>(made, what.bytes);
  return copies->are_of(what.data, what.bytes) ? copies.get() : nullptr;
}

void task_web::end_copy(dataflow_argument& what) noexcept {
  if (what.is == dataflow_argument::content::copied) blocks_.give(what.copied, sizeof(*what.copied));
}

/// After the body, or in its place. Returns whether the task has copies to fold.
bool task_web::leave_copies(dataflow_task& one) noexcept {
  bool must = false;
  for_each_copy(one, [&](reduction_copy& copy, std::size_t) {
    if (copy.shared != nullptr && copy.any_copy) copy.taken = copy.shared->leave(copy.taken);
    must = must || (copy.shared != nullptr ? copy.taken != nullptr : copy.data != nullptr);
  });
  return must;
}

/// A few numbers, under the graph's lock: for a step of its own a task took 50 ns more. Not in recordings, which tell
/// of that step.
bool task_web::try_fold_at_once(dataflow_task& one) const noexcept {
  constexpr std::size_t most_bytes = 64;
  bool may = notes_ == nullptr && can_exclude(one);
  for_each_copy(one, [&](const reduction_copy& copy, std::size_t bytes) {
    may = may && copy.shared == nullptr && copy.rule->is_plain && bytes <= most_bytes;
  });
  if (may) fold_copies(one);
  return may;
}

/// Of a task that can never run, and is the last one that could fold what others have added.
void task_web::fold_for_others(dataflow_task& one) noexcept {
  if (!leave_copies(one)) return;
  one.next_step = dataflow_task::step::fold;
  try {
    fold_copies(one);
  } catch (...) {
    drop_copies(one);
  }
}

}  // namespace nearfork

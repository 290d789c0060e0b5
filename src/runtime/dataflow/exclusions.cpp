// The part of a task web that is about tasks which must have something alone: commutative accesses, and folds.
#include <utility>

#include "runtime/dataflow/task_web.hpp"

namespace nearfork {

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

/// Takes all or none, so that no two tasks wait for each other.
bool task_web::try_exclude(dataflow_task& one) noexcept {
  for (const exclusion_link* each = one.exclusions; each != nullptr; each = each->next) {
    if (each->what->holder == nullptr) continue;
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

}  // namespace nearfork

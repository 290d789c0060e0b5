#include "runtime/groups/taken_along.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <nearfork/detail/tasks/group_task.hpp>

#include "base/sanitizer_calls.hpp"
#include "runtime/groups/loose_jobs.hpp"
#include "runtime/workers/crew.hpp"

namespace nearfork {
namespace {

/// By its address alone: its line may be far. A job of another kind must be the first one of its fiber.
bool is_task_of_group(const work_item& taken) noexcept {
  const fiber* const owner = taken.stolen_from.owner;
  return owner == nullptr || owner->has_in_cell(taken.start);  // a lane has no jobs of other kinds
}

}  // namespace

bool may_take_along(const worker& me, const work_item& found) noexcept {
  const crew& home = me.home;
  return found.rest != nullptr && is_task_of_group(found) && me.ring == nullptr && home.any_worker_will_do() &&
         home.recorder() == nullptr && !home.pins_waits() && home.fences().can_force();
}

std::size_t take_along(fiber& self, work_item& found) noexcept {
  worker& me = *self.runner;
  detail::deque& from = *found.rest;
  const std::size_t most = std::min(me.taken_at_a_time.next(), from.approx_shared() / 4);
  std::array<job*, taken_tasks::most> others;
  std::size_t count = 0;
  while (count + 1 < most && is_task_of_group(found)) {
    const steal_result next = from.steal();
    if (next.outcome != steal_outcome::stolen) break;
    __builtin_prefetch(next.taken);
    others[count++] = std::exchange(found.start, next.taken);
    found.stolen_from.index = next.index;
  }
  sanitizers::take_over(&from);
  found.taken_as->add(count);
  self.base.parent = nullptr;  // of the job that ran here before
  for (std::size_t i = 0; i < count; ++i)
    if (!detail::push_loose(self, *others[i])) me.home.hand_on_in_domain_of(me, {.start = others[i]});
  return count;
}

}  // namespace nearfork

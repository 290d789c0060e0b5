#include "runtime/groups/loose_jobs.hpp"

#include <nearfork/detail/scheduler.hpp>

#include "runtime/forks/given_jobs.hpp"
#include "runtime/forks/tell_of_push.hpp"

namespace nearfork::detail {
namespace {

/// The rest of the deque is for forks, which would run in place where it is full.
constexpr std::size_t most_loose = deque_capacity / 2;

/// All jobs are stolen: also those of groups whose slots were not used again (task_group::count_stolen()).
void forget_all(fiber& self) noexcept {
  self.jobs.owner_forget(self.jobs.owner_bottom());
  self.loose_end = self.jobs.owner_bottom();
}

}  // namespace

bool push_loose(fiber& self, job& pushed) noexcept {
  deque& jobs = self.jobs;
  slot* const head = jobs.owner_head();
  if (head != self.loose_end || self.forks_are_seen() || jobs.owner_index(head) >= most_loose) return false;
  if (!jobs.owner_offer(head, &pushed)) {
    if (push_slow() != push_outcome::pushed) return false;
  } else {
    tell_of_push(self);
    jobs.owner_set_head(head + 1);
  }
  self.loose_end = head + 1;
  return true;
}

job* take_loose(fiber& self) noexcept {
  if (self.jobs.owner_head() == self.loose_end) {
    slot* const youngest = self.loose_end - 1;
    if (self.jobs.owner_pop(youngest) || take_back(self, youngest)) {
      self.loose_end = youngest;
      return youngest->load(seam::memory_order_relaxed);
    }
  }
  forget_all(self);
  return nullptr;
}

void give_away_loose(fiber& self) noexcept {
  give_away_jobs(self);
  forget_all(self);
}

}  // namespace nearfork::detail

// Who is woken for new work, and which domains are busy: what workers ask the scheduler while they run.
#include <algorithm>
#include <utility>

#include "base/monotonic_clock.hpp"
#include "runtime/lifetime/scheduler.hpp"

namespace nearfork {

void scheduler::inject(job& root) {
  const visit now(*this);
  injector_.push({.start = &root});
  if (lot_.should_notify()) notify_one(0);  // [P4]
}

void scheduler::make_ready(fiber& waiting) {
  injector_.push({.go_on = &waiting});
  if (lot_.should_notify()) notify_one(waiting.runner->index);  // [P4]
}

void scheduler::ask_everyone() noexcept {
  for (auto& one : workers_)
    if (fiber* const present = one->present.load(seam::memory_order_acquire)) present->jobs.request();
}

void scheduler::make_everyone_look() noexcept {
  for (auto& one : workers_)
    if (fiber* const present = one->present.load(seam::memory_order_acquire)) present->jobs.request_look();
}

bool scheduler::notify(std::uint32_t index) noexcept {
  worker_at(index).notified_at_ns.store(now_ns(), seam::memory_order_relaxed);
  return lot_.notify(index);
}

void scheduler::notify_one(std::uint32_t nearest) noexcept {
  const std::uint32_t domain = layout_.domain_of(nearest);
  if (notify_domain(domain)) return;
  for (std::uint32_t i = 1; i < layout_.domains(); ++i)
    if (notify_domain((domain + i) % layout_.domains())) return;
}

void scheduler::announce_in_pool(std::uint32_t domain) noexcept {
  const bool nobody_looks = lot_.should_notify();
  const bool woken = (nobody_looks || pools_have_conditions_) && notify_domain(domain);
  if (nobody_looks && !woken) notify_one(layout_.head_of(domain));
}

/// The head worker first: it alone may be allowed to take.
bool scheduler::notify_domain(std::uint32_t domain) noexcept {
  const auto members = layout_.workers_of(domain);
  return std::any_of(members.begin(), members.end(), [this](std::uint32_t index) { return notify(index); });
}

searcher scheduler::searcher_for(const worker& self) noexcept {
  const domain_state& home = *domains_[self.domain];
  return {.is_head = layout_.is_head(self.index),
          .domain_busy = is_busy({.subtrees_in_progress = home.subtrees_in_progress.load(seam::memory_order_relaxed),
                                  .working = home.working.load(seam::memory_order_relaxed)}),
          .own_to_come = home.to_come.load(seam::memory_order_acquire) > 0,  // with the push that was counted off
          .profiling = regions_.profiling(),
          .planned = regions_.planned(),
          .would_sleep = self.would_sleep};
}

void scheduler::begin_work(worker& self) noexcept {
  if (!pools_have_conditions_) return;
  self.working = true;
  domains_[self.domain]->working.fetch_add(1, seam::memory_order_relaxed);
}

// [P7] of parking.md: before should_notify()'s read-modify-write, which releases it to whoever gets sleepy later.
void scheduler::end_work(worker& self) noexcept {
  if (!std::exchange(self.working, false)) return;
  domain_state& home = *domains_[self.domain];
  const bool was_last = home.working.fetch_sub(1, seam::memory_order_relaxed) == 1;
  if (was_last && home.subtrees_in_progress.load(seam::memory_order_relaxed) > 0) announce_in_pool(self.domain);
}

}  // namespace nearfork

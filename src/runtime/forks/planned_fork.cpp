#include "runtime/forks/planned_fork.hpp"

#include <optional>

#include <nearfork/detail/scheduler.hpp>

#include "plan/plans/fork_sending.hpp"
#include "runtime/fibers/sanitizers.hpp"
#include "runtime/forks/measured_fork.hpp"
#include "runtime/forks/publication.hpp"
#include "runtime/forks/sibling_jobs.hpp"
#include "runtime/forks/traced_task.hpp"
#include "runtime/regions/tree_cursor.hpp"
#include "runtime/workers/crew.hpp"

namespace nearfork::detail {
namespace {

/// A domain that runs the subtrees of others is faster than its share of the work says: share_search.hpp reads it.
void count_taken(crew& home, const placement& where, std::uint32_t by) noexcept {
  if (where.domain == any_domain) return;
  const std::uint32_t meant = domain_meant(where.domain, home.domain_count());
  if (meant == by) return;
  home.domain_at(by).gained.fetch_add(1, seam::memory_order_relaxed);
  home.domain_at(meant).gained.fetch_sub(1, seam::memory_order_relaxed);
}

/// A child with its place in the tree; runs the caller's job.
class planned_job final : public job {
 public:
  planned_job() noexcept : job(kind_of<&execute>) {}

  void set(job& child, tree_cursor cursor, cancel_scope& family) noexcept {
    child_ = &child;
    cursor_ = cursor;
    family_ = &family;
  }
  [[nodiscard]] const placement& where() const noexcept { return cursor_.where; }

  /// Runs the child on this fiber, whether or not another fiber waits for the child.
  void run_here() noexcept {
    fiber& self = this_fiber();
    tree_cursor* const outside = self.cursor;
    enter(self);
    {
      const traced_task traced(*self.runner, child_, traces::task_origin::forked);
      child_->run();
    }
    leave(self, outside);
  }

 private:
  static void execute(job& self) noexcept {
    auto& me = static_cast<planned_job&>(self);
    begin_in_family(this_fiber(), *me.family_);
    me.run_here();
    sanitizers::hand_over(&me);
    resume_waiter(me.finish());
  }

  void enter(fiber& self) noexcept {
    // Below a subtree root no task needs its place in the tree, unless the iteration is profiled or recorded.
    const bool keeps_cursor = cursor_.planned.planned() || cursor_.clock.measured();
    self.cursor = keeps_cursor ? &cursor_ : nullptr;
    if (keeps_cursor) self.jobs.request();
    if (cursor_.where.subtree_root) {
      worker& me = *self.runner;
      domain_ = me.domain;
      me.note({.subject = reinterpret_cast<std::uintptr_t>(this),
               .kind = traces::event_kind::task_begins,
               .detail = static_cast<std::uint8_t>(traces::task_origin::subtree)});
      count_taken(me.home, cursor_.where, domain_);
      me.home.domain_at(domain_).subtrees_in_progress.fetch_add(1, seam::memory_order_relaxed);
    }
    start_clock(self, cursor_.clock);
  }

  void leave(fiber& self, tree_cursor* outside) noexcept {
    (void)stop_clock(self);
    note_if_strayed(cursor_, true);
    if (cursor_.where.subtree_root) {
      self.runner->note({.subject = reinterpret_cast<std::uintptr_t>(this), .kind = traces::event_kind::task_ends});
      crew& home = self.runner->home;
      home.domain_at(domain_).subtrees_in_progress.fetch_sub(1, seam::memory_order_relaxed);
      home.announce_in_pool(domain_);  // the head worker may take the next subtree now
    }
    self.cursor = outside;
    if (outside != nullptr) self.jobs.request();
  }

  job* child_ = nullptr;
  cancel_scope* family_ = nullptr;
  tree_cursor cursor_;
  std::uint32_t domain_ = 0;
};

/// Numbered in the order in which they run if no thief steals.
using planned_siblings = sibling_jobs<planned_job>;

/// A parent that had to wait in place would keep its worker from the pools, and perhaps no other worker may take from
/// them.
bool has_stack_to_wait(worker& me) noexcept {
  fiber* const spare = me.home.take_spare(me);
  if (spare == nullptr) return false;
  me.home.keep_spare(me, *spare);
  return true;
}

/// Called when the subtree is about to run, or is where the workers of its home find it. Release: a worker that sees
/// the last subtree counted off sees it in the pool, too.
void count_off(fiber& self, const placement& where) noexcept {
  const auto domain = awaited_in(where, self.runner->home.domain_count());
  if (!domain) return;
  region_iteration& iteration = *self.cursor->iteration;
  if (iteration.to_come.empty() || iteration.to_come[*domain].fetch_sub(1, seam::memory_order_relaxed) <= 0) return;
  self.runner->home.domain_at(*domain).to_come.fetch_sub(1, seam::memory_order_release);
}

/// Children that are sent go to the pools that the plan names; the parent waits for them.
void run_with_pools(fiber& self, planned_siblings& children, const fork_sending& fork) noexcept {
  crew& home = self.runner->home;
  if (fork.goes_on()) count_off(self, children[0].where());
  fork.for_each_sent([&](std::uint32_t turn) {
    const placement& where = children[turn].where();
    const pool_target to = target_of(where, self.runner->domain, home.domain_count());
    note_sending(*self.runner, children[turn], to.domain);
    home.domain_at(to.domain).pool(to.pool).push_surely({.start = &children[turn]});
    count_off(self, where);
    home.announce_in_pool(to.domain);
  });
  if (fork.goes_on()) children[0].run_here();
  for (std::size_t turn = fork.first_sent(); turn < children.size(); ++turn) wait_for(self, children[turn]);
}

/// One child runs here; the others are open to thieves.
void run_child_first(fiber& self, planned_siblings& children) noexcept {
  for (std::size_t i = 0; i < children.size(); ++i) count_off(self, children[i].where());
  slot* const first = self.jobs.owner_head();
  const std::size_t pushed = offer_all_but_first(self, children);
  if (pushed > 0) {
    sanitizers::hand_over(&self.jobs);
    note_sharing(self);
    self.jobs.owner_publish_all();
    worker& me = *self.runner;
    if (me.home.lot().should_notify()) me.home.notify_one(me.index);  // [P4]
  }
  const std::size_t here = children.size() - pushed;
  for (std::size_t i = 0; i < here; ++i) children[i].run_here();
  take_back_rest(self, first, children, here, [](planned_job& child, offered_child found) {
    if (found != offered_child::stolen) child.run_here();
  });
}

/// The number of the first child; 0 if the task is not measured, or the log has no room left.
std::uint32_t note_fork(fiber& self, noted_place& parent, std::uint32_t branching) noexcept {
  if (parent.log == nullptr) return 0;
  const std::uint32_t first = parent.log->note_fork(self.runner->index, parent, branching);
  parent.begin_next_stretch();
  return first;
}

}  // namespace

void run_planned(fiber& self, std::span<const slow_child> children) {
  tree_cursor& parent = *self.cursor;
  if (is_only_measured(parent) && try_run_measured(self, children)) return;
  planned_siblings planned(children.size());
  (void)stop_clock(self);
  const auto branching = static_cast<std::uint32_t>(children.size());
  const std::uint32_t first_number = note_fork(self, parent.clock.at, branching);
  // A profile without room for all tasks will not be used, so this fork does nothing more for it.
  const bool outgrown = parent.iteration != nullptr && parent.iteration->kind.profiling && first_number == 0;
  const planned_fork foreseen = outgrown ? plan_cursor{}.fork(branching) : parent.planned.fork(branching);
  note_if_strayed(parent, false);
  open_scope siblings;
  const fork_sending fork = foreseen.sending(parent.where, branching);
  for (std::uint32_t i = 0; i < branching; ++i) {
    tree_cursor cursor{.iteration = parent.iteration};
    if (!foreseen.empty()) {
      const planned_fork::child child = foreseen.at(i);
      cursor.planned = child.cursor;
      cursor.where = child.where;
    }
    if (first_number != 0) cursor.clock.at = {.log = parent.clock.at.log, .task = first_number + i};
    planned[fork.turn_of(i)].set(*children[i].as_job, cursor, siblings.scope());
  }
  if (fork.to_pools() && has_stack_to_wait(*self.runner)) run_with_pools(self, planned, fork);
  else run_child_first(self, planned);
  start_clock(self, parent.clock);
}

}  // namespace nearfork::detail

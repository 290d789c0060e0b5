#include "runtime/forks/recorded_fork.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <nearfork/detail/scheduler.hpp>
#include <nearfork/detail/stack_job.hpp>

#include "runtime/fibers/sanitizers.hpp"
#include "runtime/forks/publication.hpp"
#include "runtime/forks/sibling_jobs.hpp"
#include "runtime/workers/crew.hpp"

namespace nearfork::detail {
namespace {

/// One task leaves the clock and another goes on it, by one reading: two would take twice as long. The piece's
/// children, if it has any, were forked at its end.
std::int64_t end_piece(fiber& self, const tree_cursor& task, const work_piece& piece) noexcept {
  iteration_log& log = *task.recorded.log;
  const std::int64_t now = log.clock().now();
  work_piece noted = piece;
  noted.task = task.recorded.task;
  noted.stretch = task.recorded.stretch;
  noted.ticks = now - task.started.ticks;
  return log.note(self.runner->index, noted) == noting::took_long ? log.clock().now() : now;
}

void put_on_clock(fiber& self, tree_cursor& task, std::int64_t now) noexcept {
  self.on_the_clock = &task;
  task.started.on = self.runner;
  task.started.ticks = now + task.recorded.log->clock().boundary_ticks;
}

/// A child with its number. The caller's job is run inside it.
class recorded_job final : public job {
 public:
  recorded_job() noexcept : job(&execute) {}

  void set(job& child, iteration_log& log, std::uint32_t task, cancel_scope& family) noexcept {
    child_ = &child;
    family_ = &family;
    log_ = &log;
    task_ = task;
  }

  /// On the fiber that forked it, from `now` on. Returns when it ended.
  std::int64_t run_here(fiber& self, std::int64_t now) noexcept {
    tree_cursor here{.recorded = {.log = log_, .task = task_}};
    tree_cursor* const outside = std::exchange(self.cursor, &here);
    put_on_clock(self, here, now);
    child_->run();
    const std::int64_t ended = end_piece(self, here, {});
    self.on_the_clock = nullptr;
    self.cursor = outside;
    return ended;
  }

 private:
  /// Taken by a thief.
  static void execute(job& self) noexcept {
    auto& me = static_cast<recorded_job&>(self);
    fiber& here = this_fiber();
    begin_in_family(here, *me.family_);
    here.jobs.request();
    (void)me.run_here(here, me.log_->clock().now());
    sanitizers::hand_over(&me);
    resume_waiter(me.finish());
  }

  job* child_;
  cancel_scope* family_;
  iteration_log* log_;
  std::uint32_t task_;
};

using recorded_siblings = sibling_jobs<recorded_job>;

/// They stay private until somebody asks, as in any fork.
std::size_t push_all_but_first(fiber& self, recorded_siblings& children) noexcept {
  const std::size_t pushed = offer_all_but_first(self, children);
  if (pushed > 0 && self.jobs.requested()) {
    self.jobs.owner_close_limit();  // before publishing: parking.md, private jobs
    sanitizers::hand_over(&self.jobs);
    self.jobs.owner_publish();
    count_publication(self);
  }
  return pushed;
}

}  // namespace

bool try_run_recorded(fiber& self, std::span<job* const> children) noexcept {
  tree_cursor& parent = *self.cursor;
  iteration_log& log = *parent.recorded.log;
  const std::size_t count = children.size();
  const auto branching = static_cast<std::uint32_t>(count);
  const std::uint32_t first_number = log.take_numbers(self.runner->index, branching);
  if (first_number == 0) return false;
  std::int64_t now = end_piece(self, parent, {.first_child = first_number, .branching = branching});
  self.on_the_clock = nullptr;
  parent.recorded.begin_next_stretch();
  open_scope siblings;
  recorded_siblings jobs(count);
  for (std::size_t i = 0; i < count; ++i)
    jobs[i].set(*children[i], log, first_number + static_cast<std::uint32_t>(i), siblings.scope());
  slot* const first_slot = self.jobs.owner_head();
  const std::size_t here = count - push_all_but_first(self, jobs);
  for (std::size_t i = 0; i < here; ++i) now = jobs[i].run_here(self, now);
  for (std::size_t i = here; i < count; ++i) {
    slot* const position = first_slot + (count - 1 - i);
    const bool is_private = self.jobs.owner_sees_private(position);
    const bool ours = is_private || take_back_or_wait(self, position, jobs[i]);
    self.jobs.owner_set_head(position);
    // Sharing with thieves, and waiting for them, is nobody's work.
    if (!is_private) now = log.clock().now();
    if (ours) now = jobs[i].run_here(self, now);
  }
  put_on_clock(self, parent, now);
  return true;
}

namespace {

/// What one stretch of empty tasks takes, in the mean of some. A family of one is offered to nobody.
std::int64_t ticks_of_empty_stretches(fiber& self, iteration_log& log) noexcept {
  constexpr int forks = 32;
  tree_cursor root{.recorded = {.log = &log}};
  tree_cursor* const cursor = std::exchange(self.cursor, &root);
  tree_cursor* const on_the_clock = self.on_the_clock;
  put_on_clock(self, root, log.clock().now());
  const std::int64_t began = root.started.ticks;
  for (int i = 0; i < forks; ++i) {
    const auto nothing = [] {};
    stack_job<decltype(nothing)> child(nothing);
    job* const children[] = {&child};
    (void)try_run_recorded(self, children);
    (void)child.take();
  }
  const std::int64_t ended = end_piece(self, root, {});
  self.cursor = cursor;
  self.on_the_clock = on_the_clock;
  return (ended - began) / (2 * forks + 1);
}

std::int64_t ticks_of_a_reading(const recording_clock& clock) noexcept {
  constexpr int readings = 32;
  const std::int64_t began = clock.now();
  for (int i = 1; i < readings; ++i) (void)clock.now();
  return (clock.now() - began) / readings;
}

/// The middle one of many: the system takes the processor away now and then.
template <class Measure>
std::int64_t typical(const Measure& measure) {
  std::array<std::int64_t, 33> all{};
  for (std::int64_t& one : all) one = measure();
  std::ranges::sort(all);
  return all[all.size() / 2];
}

}  // namespace

void calibrate(recording_clock& clock, fiber& self) {
  clock.read_ticks = clock.boundary_ticks = 0;
  constexpr std::uint32_t most_tasks = 1 << 16;
  const crew& home = self.runner->home;
  iteration_log scratch(home.worker_count(), most_tasks, {.kind = recorded_root_kind::run, .number = 0}, clock);
  const std::int64_t boundary = typical([&] { return ticks_of_empty_stretches(self, scratch); });
  clock.read_ticks = typical([&] { return ticks_of_a_reading(clock); });
  clock.boundary_ticks = boundary;
}

}  // namespace nearfork::detail

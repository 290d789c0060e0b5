#include "runtime/forks/measured_fork.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <nearfork/detail/scheduler.hpp>
#include <nearfork/detail/stack_job.hpp>

#include "runtime/fibers/sanitizers.hpp"
#include "runtime/forks/publication.hpp"
#include "runtime/forks/sibling_jobs.hpp"
#include "runtime/forks/traced_task.hpp"
#include "runtime/workers/crew.hpp"

namespace nearfork::detail {
namespace {

/// A child with its number; runs the caller's job.
class measured_job final : public job {
 public:
  measured_job() noexcept : job(kind_of<&execute>) {}

  void set(job& child, iteration_log& log, std::uint32_t task, cancel_scope& family) noexcept {
    child_ = &child;
    family_ = &family;
    log_ = &log;
    task_ = task;
  }

  /// Runs the child, from `now` on, on the fiber that forked it. Returns when the child ended.
  moment run_here(fiber& self, const moment& now) noexcept {
    tree_cursor here{.clock = {.at = {.log = log_, .task = task_}}};
    tree_cursor* const outside = std::exchange(self.cursor, &here);
    const traced_task traced(*self.runner, this, traces::task_origin::forked);
    put_on_clock(self, here.clock, now);
    child_->run();
    const moment ended = end_piece(self, here.clock, {});
    self.on_the_clock = nullptr;
    self.cursor = outside;
    return ended;
  }

 private:
  /// Runs on the fiber of a thief.
  static void execute(job& self) noexcept {
    auto& me = static_cast<measured_job&>(self);
    fiber& here = this_fiber();
    begin_in_family(here, *me.family_);
    here.jobs.request();
    (void)me.run_here(here, moment_to_start(*here.runner, *me.log_));
    sanitizers::hand_over(&me);
    resume_waiter(me.finish());
  }

  job* child_;
  cancel_scope* family_;
  iteration_log* log_;
  std::uint32_t task_;
};

using measured_siblings = sibling_jobs<measured_job>;

/// The children stay private until a thief requests work, as in any fork.
std::size_t push_all_but_first(fiber& self, measured_siblings& children) noexcept {
  const std::size_t pushed = offer_all_but_first(self, children);
  if (pushed > 0 && self.jobs.requested()) {
    self.jobs.owner_close_limit();  // before publishing: parking.md, private jobs
    sanitizers::hand_over(&self.jobs);
    note_sharing(self);
    self.jobs.owner_publish();
    count_publication(self);
  }
  return pushed;
}

}  // namespace

bool try_run_measured(fiber& self, std::span<const slow_child> children) {
  tree_cursor& parent = *self.cursor;
  iteration_log& log = *parent.clock.at.log;
  const std::size_t count = children.size();
  const auto branching = static_cast<std::uint32_t>(count);
  measured_siblings jobs(count);
  const std::uint32_t first_number = log.take_numbers(self.runner->index, branching);
  if (first_number == 0) return false;
  moment now = end_piece(self, parent.clock, {.first_child = first_number, .branching = branching});
  self.on_the_clock = nullptr;
  parent.clock.at.begin_next_stretch();
  open_scope siblings;
  for (std::size_t i = 0; i < count; ++i)
    jobs[i].set(*children[i].as_job, log, first_number + static_cast<std::uint32_t>(i), siblings.scope());
  slot* const first_slot = self.jobs.owner_head();
  const std::size_t here = count - push_all_but_first(self, jobs);
  for (std::size_t i = 0; i < here; ++i) now = jobs[i].run_here(self, now);
  take_back_rest(self, first_slot, jobs, here, [&](measured_job& child, offered_child found) {
    // Sharing with thieves, and waiting for them, is no task's work.
    if (found != offered_child::unseen) now = moment_to_start(*self.runner, log);
    if (found != offered_child::stolen) now = child.run_here(self, now);
  });
  put_on_clock(self, parent.clock, now);
  return true;
}

namespace {

/// The mean of what stretches of empty tasks take. Each fork has one child, which is offered to no thief.
std::int64_t ticks_of_empty_stretches(fiber& self, iteration_log& log) noexcept {
  constexpr int forks = 32;
  tree_cursor root{.clock = {.at = {.log = &log}}};
  const std::uint32_t sampling = std::exchange(self.runner->task_sampling, 0);  // the program has no such tasks
  tree_cursor* const cursor = std::exchange(self.cursor, &root);
  task_clock* const on_the_clock = self.on_the_clock;
  put_on_clock(self, root.clock, moment_to_start(*self.runner, log));
  const std::int64_t began = root.clock.started.ticks;
  for (int i = 0; i < forks; ++i) {
    const auto nothing = [] {};
    slow_job<decltype(nothing)> child(nothing);
    const slow_child children[] = {child.child()};
    (void)try_run_measured(self, children);
  }
  const std::int64_t ended = end_piece(self, root.clock, {}).ticks;
  self.cursor = cursor;
  self.on_the_clock = on_the_clock;
  self.runner->task_sampling = sampling;
  return (ended - began) / (2 * forks + 1);
}

std::int64_t ticks_of_a_reading(const recording_clock& clock) noexcept {
  constexpr int readings = 32;
  const std::int64_t began = clock.now();
  for (int i = 1; i < readings; ++i) (void)clock.now();
  return (clock.now() - began) / readings;
}

/// The median of many: the system takes the processor away now and then.
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
  iteration_log scratch(home.worker_count(), most_tasks, std::nullopt, clock);
  const std::int64_t boundary = typical([&] { return ticks_of_empty_stretches(self, scratch); });
  clock.read_ticks = typical([&] { return ticks_of_a_reading(clock); });
  clock.boundary_ticks = boundary;
}

}  // namespace nearfork::detail

#include <nearfork/detail/short_loop.hpp>

#include <algorithm>

#include <nearfork/detail/fiber.hpp>

#include "runtime/workers/crew.hpp"

namespace nearfork::detail {
namespace {

/// A loop of this length takes longer than a trial is for, whatever its body does.
constexpr std::size_t longest_count = std::size_t{1} << 20;

/// Loops that take no longer than this, 0.6 us, are left alone.
constexpr std::uint64_t brief_ticks = look_up_ticks / 5;

/// True if a thief may come, and nobody wants to see each fork.
bool may_be_shared(const fiber& self) noexcept {
  return self.runner->home.worker_count() > 1 && !self.forks_are_seen();
}

/// True if this loop may be run by its worker alone, also by the only one, whose forks cost something, too. Bodies that
/// all have a worker may wait for each other.
bool may_be_short(const fiber& self, std::size_t count) noexcept {
  return !self.forks_are_seen() && count > self.runner->home.worker_count() && count <= longest_count;
}

}  // namespace

std::size_t part_of_piece(std::size_t bodies) noexcept {
  return bodies <= few_bodies && may_be_shared(this_fiber()) ? (bodies + 7) / 8 : bodies;
}

std::size_t most_leaves_in_turn(std::size_t count) noexcept {
  return may_be_shared(this_fiber()) ? std::max<std::size_t>(1, count / 8) : count;
}

short_loop::short_loop(std::uintptr_t code, std::size_t count) noexcept : code_(code), count_(count) {
  const fiber& self = this_fiber();
  if (!may_be_short(self, count)) return;
  caller_ = self.runner;
  const joint_trial& trial = caller_->loops.trial;
  const remembered_loop& seen = caller_->loops.places.of(code, count);
  bodies_ = seen.bodies;
  is_new_ = seen.brief.may_be();
  if (is_new_) {
    alone_ = seen.brief.runs_alone();
    timed_ = seen.brief.is_timed();
    most_ticks_ = look_up_ticks;
  } else {
    alone_ = trial.runs_alone(seen.times);
    timed_ = trial.is_timed();
    if (alone_) most_ticks_ = joint_trial::most_ticks(seen.times);
    era_ = trial.era();
    shared_before_ = caller_->counters.publications.approx();
  }
  if (timed_) began_ = coarse_ticks();
}

/// A loop whose task went on elsewhere tells nothing; and bodies may have called other loops, which took its place.
void short_loop::remember(bool opened) noexcept {
  if (this_fiber().runner != caller_) return;
  short_loops& all = caller_->loops;
  remembered_loop* const seen = all.places.find(code_, count_);
  if (seen == nullptr || seen->brief.may_be() != is_new_) return;
  seen->bodies = bodies_;
  const std::uint64_t ticks = timed_ ? coarse_ticks() - began_ : 0;
  if (!is_new_) {
    const bool helped = caller_->counters.publications.approx() != shared_before_;
    all.trial.ended(seen->times, {era_, ticks, alone_, helped, opened}, [&all](const auto& act) {
      all.places.for_each([&act](remembered_loop& each) { act(each.times); });
    });
  } else if (opened) {
    seen->brief.opened();
  } else {
    seen->brief.ended(ticks, brief_ticks, look_up_ticks);
  }
}

}  // namespace nearfork::detail

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
  const auto& [body, width, brief, trial] = caller_->loops.of(code, count);
  is_new_ = brief.may_be();
  if (is_new_) {
    alone_ = brief.runs_alone();
    timed_ = brief.is_timed();
    most_ticks_ = look_up_ticks;
  } else {
    alone_ = trial.runs_alone();
    timed_ = trial.is_timed();
    most_ticks_ = trial.most_ticks();
    shared_before_ = caller_->counters.publications.approx();
  }
  if (timed_) began_ = coarse_ticks();
}

/// A loop whose task went on elsewhere tells nothing; and bodies may have called other loops, which took its place.
void short_loop::remember(bool opened) noexcept {
  if (this_fiber().runner != caller_) return;
  short_loops::remembered* const seen = caller_->loops.find(code_, count_);
  if (seen == nullptr || seen->brief.may_be() != is_new_) return;
  const std::uint64_t ticks = timed_ ? coarse_ticks() - began_ : 0;
  if (is_new_) {
    if (opened) seen->brief.opened();
    else seen->brief.ended(ticks, brief_ticks, look_up_ticks);
  } else if (opened) {
    seen->trial.opened();
  } else {
    seen->trial.ended(ticks, longest_alone_ticks, caller_->counters.publications.approx() != shared_before_);
  }
}

}  // namespace nearfork::detail

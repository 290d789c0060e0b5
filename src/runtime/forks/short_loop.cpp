#include <nearfork/detail/short_loop.hpp>

#include <nearfork/detail/fiber.hpp>

#include "runtime/workers/crew.hpp"

namespace nearfork::detail {
namespace {

/// A loop of this length takes longer than a trial is for, whatever its body does.
constexpr std::size_t longest_count = std::size_t{1} << 20;
/// Longer loops are always shared: about 50 us. A thread outside workers may wait as long for a worker that it woke.
constexpr std::uint64_t longest_ticks = 16 * look_up_ticks;

/// True if this loop may be run by its worker alone. A few slow bodies must not wait for each other.
bool may_be_short(const fiber& self, std::size_t count) noexcept {
  const std::uint32_t workers = self.runner->home.worker_count();
  return workers > 1 && count >= std::size_t{8} * workers && count <= longest_count && !self.forks_are_seen();
}

}  // namespace

short_loop::short_loop(std::uintptr_t code, std::size_t count) noexcept : code_(code), count_(count) {
  const fiber& self = this_fiber();
  if (!may_be_short(self, count)) return;
  caller_ = self.runner;
  const short_loop_trial& trial = caller_->loops.of(code, count);
  alone_ = trial.runs_alone();
  timed_ = trial.is_timed();
  most_ticks_ = trial.most_ticks();
  if (timed_) began_ = coarse_ticks();
}

/// A loop whose task went on elsewhere tells nothing; and bodies may have called other loops, which took its place.
void short_loop::remember(bool opened) noexcept {
  if (this_fiber().runner != caller_) return;
  short_loop_trial* const trial = caller_->loops.find(code_, count_);
  if (trial == nullptr) return;
  if (opened) trial->opened();
  else trial->ended(timed_ ? coarse_ticks() - began_ : 0, longest_ticks);
}

}  // namespace nearfork::detail

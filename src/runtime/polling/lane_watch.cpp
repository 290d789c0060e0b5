#include "runtime/polling/lane_watch.hpp"

namespace nearfork {

bool lane_watch::try_begin() noexcept {
  begun_.store(begun_.load(seam::memory_order_relaxed) + 1, seam::memory_order_relaxed);
  if (post_.begin_relying()) return true;
  thread_.wake();
  return false;
}

std::uint64_t lane_watch::act() noexcept {
  constexpr std::uint64_t interval_ns = 2'000'000;  // a look takes 5 us with its wake-up: 0.25% of a core
  constexpr std::uint32_t most_in_vain = 50;
  look_.act(look_.of);
  post_.take();
  const std::uint32_t begun = begun_.load(seam::memory_order_relaxed);
  looks_in_vain_ = begun == seen_begun_ ? looks_in_vain_ + 1 : 0;
  seen_begun_ = begun;
  if (looks_in_vain_ < most_in_vain || !post_.leave_if_unwanted()) return interval_ns;
  looks_in_vain_ = 0;
  return 0;
}

}  // namespace nearfork

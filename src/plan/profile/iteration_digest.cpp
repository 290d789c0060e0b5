#include "plan/profile/iteration_digest.hpp"

#include <algorithm>

namespace nearfork {

void iteration_digest::add(std::uint64_t duration_ns, std::uint64_t crossings) noexcept {
  if (count_ < crossings_kept) crossings_ += crossings;
  shortest_ = count_ == 0 ? duration_ns : std::min(shortest_, duration_ns);
  longest_ = std::max(longest_, duration_ns);
  if (count_ == 0) {
    first_ = duration_ns;
    first_crossings_ = crossings;
  }
  ++count_;
  if (kept_count_ == most_kept) return;
  const auto end = kept_.begin() + static_cast<std::ptrdiff_t>(kept_count_);
  const auto place = std::upper_bound(kept_.begin(), end, duration_ns);
  std::move_backward(place, end, end + 1);
  *place = duration_ns;
  ++kept_count_;
}

}  // namespace nearfork

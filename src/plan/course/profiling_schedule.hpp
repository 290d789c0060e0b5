// Says when a region is profiled again, because its tree has changed and its plan no longer fits.
#pragma once

#include <algorithm>
#include <cstdint>

namespace nearfork {

/// Counts consecutive iterations that strayed from their plan. After enough of them the region is profiled again. Each
/// further profile takes twice as many. So a tree that changes in every iteration costs a number of profiles that grows
/// with the logarithm of its iterations. If a plan fits for as many iterations, the next profile takes the first number
/// again.
class profiling_schedule {
 public:
  /// One or two strange iterations (a first step, an output step) are not a new shape.
  static constexpr std::uint64_t least_patience = 3;
  static constexpr std::uint64_t most_patience = 4096;

  /// Call it after each iteration under a plan.
  constexpr void add(bool strayed) noexcept {
    if (strayed) {
      ++strayed_in_a_row_;
      fitting_in_a_row_ = 0;
    } else {
      strayed_in_a_row_ = 0;
      if (++fitting_in_a_row_ >= patience_) patience_ = least_patience;
    }
  }
  [[nodiscard]] constexpr bool wants_profile() const noexcept { return strayed_in_a_row_ >= patience_; }
  /// Call it when the region is profiled again.
  constexpr void begin_anew() noexcept {
    strayed_in_a_row_ = fitting_in_a_row_ = 0;
    patience_ = std::min(most_patience, 2 * patience_);
  }

 private:
  std::uint64_t patience_ = least_patience;
  std::uint64_t strayed_in_a_row_ = 0;
  std::uint64_t fitting_in_a_row_ = 0;
};

}  // namespace nearfork

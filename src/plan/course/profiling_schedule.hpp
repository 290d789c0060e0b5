// When a region is profiled again, because its tree has changed and its plan no longer fits.
#pragma once

#include <algorithm>
#include <cstdint>

namespace nearfork {

/// Counts iterations that left their plan. A region is profiled again once enough of them have followed each other;
/// each further time takes twice as many, so a tree that is another one in every iteration costs a number of profiles
/// that grows with the logarithm of its iterations. A plan that fits for as long as that took is forgiven everything.
class profiling_schedule {
 public:
  /// One or two strange iterations (a first step, an output step) are no new shape.
  static constexpr std::uint64_t least_patience = 3;
  static constexpr std::uint64_t most_patience = 4096;

  /// After each iteration under a plan.
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
  /// It was granted.
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

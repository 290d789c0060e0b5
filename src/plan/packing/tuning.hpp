// The search for the best packing: LAWS, Algorithm 1, one level down at a time as long as that is faster; if it was not
// even once, one level up at a time.
//
// Stateless: the search is followed from its start each time, along what the profile holds of every packing. Evidence
// of a packing that was decided upon no longer changes (iteration_digest keeps the first durations), so the same way is
// found again, and once it has ended it stays ended.
//
// The paper measures each packing once, right after another one, and takes the faster. On machines where anything else
// runs, times differ by more than packings do, so a packing is tried in five iterations, after a first one that does not
// count, and wins only if its median is lower than the best one's by more than both spreads together (each from the
// shortest to the longest but one, so that one disturbed iteration is forgiven) and by more than a hundredth. Of two
// equal packings the second then wins by chance in two to three of 1000 comparisons (simulated: uniform, exponential,
// normal and spiked noise); by medians alone it would be in half of them, and with three iterations each in one of nine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "plan/plans/plan_explanation.hpp"
#include "plan/profile/profile.hpp"

namespace nearfork {

struct tuning_rule {
  /// A packing that was never faster than the best one's median in this many iterations is given up.
  std::size_t hopeless_after = 3;
  double least_gain = 0.01;
  /// Further than that from the first packing nothing is tried: that one is near the best already.
  std::int32_t most_levels = 16;
};

/// The trial of the packing that lies `level` levels below the first one.
[[nodiscard]] constexpr trial_id trial_of_packing(std::int32_t level) noexcept {
  return trial_id{static_cast<std::uint32_t>(level)};
}

enum class verdict : std::uint8_t { undecided, better, not_better };

/// Whether `tried` is to replace `best`, of which all evidence must be there.
[[nodiscard]] verdict compare(const iteration_digest& tried, const iteration_digest& best,
                              const tuning_rule& rule = {}) noexcept;

struct tuning {
  std::int32_t level = 0;  // of the packing for the next iteration
  bool settled = false;
  std::vector<packing_trial> trials;
};

/// What to try next. `exists`: there is a packing of that level; asked outward from level 0.
[[nodiscard]] tuning tune(const profile& measured, const std::function<bool(std::int32_t)>& exists,
                          const tuning_rule& rule = {});

}  // namespace nearfork

// The search for the best packing: LAWS, Algorithm 1. It goes one level down at a time while that is faster. If the
// first step down was not faster, it goes one level up at a time.
//
// The search keeps no state: each call follows it from the start, by the profile's evidence of each packing. The
// evidence of a packing no longer changes once it was decided (iteration_digest keeps the first durations). So each
// call finds the same way, and an ended search stays ended.
//
// The paper measures each packing once, right after the previous one, and takes the faster. On machines where other
// programs run, times differ by more than packings do. So each packing is tried in five iterations, after a first one
// that does not count. It wins only if its median is lower than the best one's by more than both spreads together and
// by more than a hundredth. A spread goes from the shortest to the second longest time, so that one disturbed iteration
// does not count. If two packings are equal, the second wins by chance in two to three of 1000 comparisons (simulated:
// uniform, exponential, normal and spiked noise). With medians alone it would win in half of them, and with three
// iterations each in one of nine. tuning_rule::as_printed has the paper's own way, for comparison.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plan/plans/plan_explanation.hpp"
#include "plan/profile/profile.hpp"

namespace nearfork {

struct tuning_rule {
  /// A packing is given up if none of this many iterations was faster than the best packing's median.
  std::size_t hopeless_after = 3;
  /// A packing is given up after one iteration, or two, if none was faster than this many times the best packing's
  /// median, with its spread on top. 0: never so early. One disturbed iteration may take twice its time.
  std::array<double, 2> clearly_slower{};
  double least_gain = 0.01;
  /// The search stops at this distance from the first packing, because that one is near the best already.
  std::int32_t most_levels = 16;
  /// Algorithm 1, lines 7 and 19, as they are printed: one iteration of each packing decides, after the one that does
  /// not count. A tie counts against smaller subtrees and for larger ones. The other values do not count, except
  /// most_levels.
  bool as_printed = false;
};

/// A search begins anew for other shares of the domains: each has a series of trials.
using trial_series = std::uint32_t;

/// The trial of the packing that lies `level` levels below the first one.
[[nodiscard]] constexpr trial_id trial_of_packing(std::int32_t level, trial_series series = 0) noexcept {
  constexpr std::uint32_t most_levels = 1U << 16;
  return trial_id{static_cast<std::uint32_t>(level) + series * 2 * most_levels};
}

/// True if `tried` has lost against `best` before all its evidence is there. Both must have some evidence.
[[nodiscard]] bool is_hopeless(const iteration_digest& tried, const iteration_digest& best,
                               const tuning_rule& rule = {}) noexcept;

enum class verdict : std::uint8_t { undecided, better, not_better };

/// Whether `tried` shall replace `best`. All evidence of `best` must be there.
[[nodiscard]] verdict compare(const iteration_digest& tried, const iteration_digest& best,
                              const tuning_rule& rule = {}) noexcept;

/// What an explanation tells of a trial. Whether it was given up is for the caller to say.
[[nodiscard]] trial_summary summary_of(trial_id trial, std::string what, const iteration_digest& seen);

struct tuning {
  std::int32_t level = 0;  // level of the packing for the next iteration
  bool settled = false;
  std::vector<trial_summary> trials;
};

/// What to try next. `exists` tells whether a packing of that level exists; it is asked outward from level 0.
[[nodiscard]] tuning tune(const profile& measured, const std::function<bool(std::int32_t)>& exists,
                          const tuning_rule& rule = {}, trial_series series = 0);

}  // namespace nearfork

// What repetitions say together. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nearfork::tools {

/// Times of one contender, in nanoseconds.
struct time_summary {
  std::size_t count = 0;
  double median_ns = 0;
  double mad_ns = 0;  // median of the absolute deviations from the median: what is usual, whatever a few outliers do
  double min_ns = 0;
  double max_ns = 0;
};

/// The middle one, or the mean of the two in the middle; 0 of nothing.
[[nodiscard]] double median(std::vector<double> values);

[[nodiscard]] time_summary summarize(std::span<const std::uint64_t> times_ns);

/// How many times as fast as `baseline`: above 1 is faster. The median of what each round says, since times of one round
/// share its disturbances; the ratio of the medians where some rounds are missing. No times, or times of zero, give 0.
[[nodiscard]] double speed_ratio(std::span<const std::uint64_t> baseline_ns, std::span<const std::uint64_t> of_ns);

/// The usual deviation as a part of the median.
[[nodiscard]] double relative_spread(const time_summary& times);

/// Above this relative spread a result says so. The medians of 9 repetitions then still agree within a few per cent.
inline constexpr double noisy_spread = 0.05;
[[nodiscard]] bool is_noisy(const time_summary& times);

/// In which order the contenders run in a round: a permutation of 0 .. count - 1 that depends on seed and round alone. Drawn anew
/// for each round, so that nobody always follows the same other one.
[[nodiscard]] std::vector<std::size_t> order_of_round(std::size_t count, std::uint64_t round, std::uint64_t seed);

/// Spearman's: 1 if both rise and fall together, 0 if they have nothing to do with each other, or if one of them never changes. Equal
/// values share their rank. Both are as long.
[[nodiscard]] double rank_correlation(const std::vector<double>& one, const std::vector<double>& other);

}  // namespace nearfork::tools

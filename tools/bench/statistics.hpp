// Statistics of repetitions. Pure functions.
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
  double mad_ns = 0;  // median of the absolute deviations from the median: a few outliers do not change it
  double min_ns = 0;
  double max_ns = 0;
};

/// The middle value, or the mean of the two middle ones; 0 if there are no values.
[[nodiscard]] double median(std::vector<double> values);

[[nodiscard]] time_summary summarize(std::span<const std::uint64_t> times_ns);

/// How many times as fast as `baseline`: above 1 is faster. The median of the ratios of each round, because times of
/// one round share its disturbances. If some rounds are missing, the ratio of the medians. 0 if there are no times, or
/// times of zero.
[[nodiscard]] double speed_ratio(std::span<const std::uint64_t> baseline_ns, std::span<const std::uint64_t> of_ns);

/// The usual deviation as a fraction of the median.
[[nodiscard]] double relative_spread(const time_summary& times);

/// Above this relative spread a result warns. The medians of 9 repetitions then still agree within a few per cent.
inline constexpr double noisy_spread = 0.05;
[[nodiscard]] bool is_noisy(const time_summary& times);

/// The order of the contenders in a round: a permutation of 0 .. count - 1 that depends only on seed and round. It is
/// drawn anew for each round, so that no contender always follows the same other one.
[[nodiscard]] std::vector<std::size_t> order_of_round(std::size_t count, std::uint64_t round, std::uint64_t seed);

/// Spearman's rank correlation: 1 if both rise and fall together; 0 if they are unrelated, or if one of them never
/// changes. Equal values share their rank. Both must have the same length.
[[nodiscard]] double rank_correlation(const std::vector<double>& one, const std::vector<double>& other);

}  // namespace nearfork::tools

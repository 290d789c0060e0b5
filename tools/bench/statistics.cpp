#include "tools/bench/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/rng.hpp"

namespace nearfork::tools {
namespace {

/// Counted from 0. Equal values have the mean of their ranks.
std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0, end = 0; i < order.size(); i = end) {
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    const double shared = static_cast<double>(i + end - 1) / 2;
    for (std::size_t j = i; j < end; ++j) ranks[order[j]] = shared;
  }
  return ranks;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

time_summary summarize(std::span<const std::uint64_t> times_ns) {
  if (times_ns.empty()) return {};
  std::vector<double> values(times_ns.begin(), times_ns.end());
  const auto [least, most] = std::ranges::minmax(values);
  const double middle = median(values);
  for (double& value : values) value = std::abs(value - middle);
  return {times_ns.size(), middle, median(std::move(values)), least, most};
}

double speed_ratio(std::span<const std::uint64_t> baseline_ns, std::span<const std::uint64_t> of_ns) {
  const double of = summarize(of_ns).median_ns;
  if (of <= 0 || baseline_ns.empty()) return 0;
  if (baseline_ns.size() != of_ns.size() || std::ranges::find(of_ns, 0U) != of_ns.end())
    return summarize(baseline_ns).median_ns / of;
  std::vector<double> ratios;
  for (std::size_t round = 0; round < of_ns.size(); ++round)
    ratios.push_back(static_cast<double>(baseline_ns[round]) / static_cast<double>(of_ns[round]));
  return median(std::move(ratios));
}

double relative_spread(const time_summary& times) {
  return times.median_ns > 0 ? times.mad_ns / times.median_ns : 0;
}

bool is_noisy(const time_summary& times) {
  return relative_spread(times) > noisy_spread;
}

std::vector<std::size_t> order_of_round(std::size_t count, std::uint64_t round, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  rng numbers = rng::for_stream(seed, round);
  for (std::size_t left = count; left > 1; --left)
    std::swap(order[left - 1], order[numbers.below(static_cast<std::uint32_t>(left))]);
  return order;
}

double rank_correlation(const std::vector<double>& one, const std::vector<double>& other) {
  const std::vector<double> a = ranks_of(one);
  const std::vector<double> b = ranks_of(other);
  const double mean = (static_cast<double>(a.size()) - 1) / 2;
  double together = 0;
  double of_a = 0;
  double of_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    together += (a[i] - mean) * (b[i] - mean);
    of_a += (a[i] - mean) * (a[i] - mean);
    of_b += (b[i] - mean) * (b[i] - mean);
  }
  return of_a == 0 || of_b == 0 ? 0 : together / std::sqrt(of_a * of_b);
}

}  // namespace nearfork::tools

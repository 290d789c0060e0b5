#include "plan/packing/balance_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nearfork {
namespace {

/// A mean of a few iterations that differs by less has not changed. Line 8 divides by as much at least.
constexpr double least_difference = 1;

/// Line 8, bounded to both sides: at most a quarter of alpha, and not so small that nothing changes.
double step_after(std::size_t trial, double fewer_crossings, double factor, const balance_rule& rule) {
  const double step = std::ldexp(rule.unit, static_cast<int>(trial)) / std::max(least_difference, fewer_crossings);
  return std::min(std::max(step, rule.unit / 4), factor / 4);
}

/// True if `slow` takes longer than `fast`, and not by chance.
bool is_slower(const balance_trial& slow, const balance_trial& fast, const balance_rule& rule) noexcept {
  const double loss = static_cast<double>(slow.median_ns) - static_cast<double>(fast.median_ns);
  const auto spreads = static_cast<double>(slow.spread_ns + fast.spread_ns);
  return loss > std::max(spreads, rule.least_loss * static_cast<double>(fast.median_ns));
}

/// Time decides where it is clear, else crossings.
bool is_worse(const balance_trial& tried, const balance_trial& before, const balance_rule& rule) noexcept {
  if (rule.as_printed) return tried.crossings > before.crossings;
  if (is_slower(tried, before, rule)) return true;
  return tried.crossings - before.crossings >= least_difference && !is_slower(before, tried, rule);
}

balance settled_on(std::size_t trial, std::vector<double> factors) {
  const double factor = factors[trial];
  return {.factor = factor, .trial = trial, .settled = true, .factors = std::move(factors)};
}

}  // namespace

balance search_balance(double even, std::span<const balance_trial> seen, const balance_rule& rule) {
  const double most = even * rule.most_times;
  std::vector<double> factors{even};
  for (std::size_t k = 0; k < seen.size(); ++k) {
    if (k > 0 && is_worse(seen[k], seen[k - 1], rule)) return settled_on(k - 1, std::move(factors));
    if (seen[k].crossings <= 0 || k + 1 >= rule.most_trials || factors[k] >= most)
      return settled_on(k, std::move(factors));
    const double fewer = k == 0 ? 1 : seen[k - 1].crossings - seen[k].crossings;
    factors.push_back(std::min(factors[k] + step_after(k, fewer, factors[k], rule), most));
  }
  const std::size_t trial = factors.size() - 1;
  return {.factor = factors[trial], .trial = trial, .settled = false, .factors = std::move(factors)};
}

}  // namespace nearfork

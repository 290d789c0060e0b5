#include "plan/plans/domain_share.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "plan/plans/placement.hpp"

namespace nearfork {
namespace {

/// Shares that were split by thirds and borders that were split by halves meet up to this rounding. It is relative to
/// the share, so that small tasks at a border stay with their parents.
constexpr double rounding = 1e-6;

}  // namespace

std::vector<double> weighted_borders(std::span<const double> weights) {
  assert(!weights.empty());
  assert(std::ranges::all_of(weights, [](double weight) { return weight > 0 && std::isfinite(weight); }));
  // Their sum is finite, however large they are.
  const double unit = std::ranges::max(weights);
  std::vector<double> borders{0};
  for (const double weight : weights) borders.push_back(borders.back() + weight / unit);
  const double all = borders.back();
  for (double& border : borders) border /= all;
  return borders;
}

std::vector<double> even_borders(std::uint32_t domains) {
  return weighted_borders(std::vector<double>(domains, 1));
}

std::vector<double> even_borders(std::uint32_t domains, std::uint32_t holding) {
  assert(holding > 0 && holding <= domains);
  std::vector<double> borders = even_borders(holding);
  borders.resize(domains + std::size_t{1}, 1);
  return borders;
}

std::uint16_t domain_of_share(std::span<const double> borders, data_share share) noexcept {
  const double slack = share.width() * rounding;
  // The first border beyond the share's lower end is the upper border of the only domain that can hold all of it.
  const auto closing = std::upper_bound(borders.begin(), borders.end(), share.lo + slack);
  if (closing == borders.begin() || closing == borders.end() || share.hi > *closing + slack) return any_domain;
  return static_cast<std::uint16_t>(closing - borders.begin() - 1);
}

std::uint16_t domain_with_most(std::span<const double> borders, data_share share) noexcept {
  if (borders.size() < 2) return any_domain;
  std::size_t best = 0;
  double most = -1;
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
    // Negative if the share lies beside the domain: an empty share at the very end is nearest to the last domain.
    const double held = std::min(share.hi, borders[i + 1]) - std::max(share.lo, borders[i]);
    if (i > 0 && held <= most) continue;
    most = held;
    best = i;
  }
  return static_cast<std::uint16_t>(best);
}

}  // namespace nearfork

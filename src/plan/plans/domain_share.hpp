// The domain that a share of a region's data belongs to. Domain i holds [borders[i], borders[i + 1]).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/profile/profile.hpp"

namespace nearfork {

/// Borders that give domain i the part weights[i] of the sum of `weights`, of which there is one at least, all positive
/// and finite. The first border is 0, the last one exactly 1, and none is below the one before.
[[nodiscard]] std::vector<double> weighted_borders(std::span<const double> weights);

/// Borders that give each of `domains` the same share (LAWS 3.2).
[[nodiscard]] std::vector<double> even_borders(std::uint32_t domains);

/// Borders that give each of the first `holding` of `domains` the same share, and the others nothing.
[[nodiscard]] std::vector<double> even_borders(std::uint32_t domains, std::uint32_t holding);

/// The domain that holds all of `share`; any_domain if the share spans several domains or there are no borders.
[[nodiscard]] std::uint16_t domain_of_share(std::span<const double> borders, data_share share) noexcept;

/// The domain that holds most of `share`; the first of several that hold equally much.
[[nodiscard]] std::uint16_t domain_with_most(std::span<const double> borders, data_share share) noexcept;

}  // namespace nearfork

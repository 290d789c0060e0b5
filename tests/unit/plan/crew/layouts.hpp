// Worker layouts for tests: domains in a row, two domains to a package.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "plan/crew/worker_layout.hpp"

namespace nearfork {

/// Distances: 1 within a domain, 3 within a package, 4 beyond; the numbers of steal_distance.
inline worker_layout layout_of(const std::vector<std::uint32_t>& domain_sizes) {
  std::vector<std::uint32_t> domain_of;
  for (std::uint32_t domain = 0; domain < domain_sizes.size(); ++domain)
    domain_of.insert(domain_of.end(), domain_sizes[domain], domain);
  std::vector<std::uint8_t> distances;
  for (const auto a : domain_of)
    for (const auto b : domain_of) distances.push_back(a == b ? 1 : a / 2 == b / 2 ? 3 : 4);
  return {std::move(domain_of), std::move(distances)};
}

/// 1, 2, 4 and 24 domains, unequal ones, and one core per domain.
inline std::vector<worker_layout> layouts() {
  return {layout_of({1}),
          layout_of({4}),
          layout_of({2, 2}),
          layout_of({1, 7}),
          layout_of({4, 4, 4, 4}),
          layout_of({3, 1, 2}),
          layout_of(std::vector<std::uint32_t>(24, 8)),
          layout_of(std::vector<std::uint32_t>(24, 1))};
}

}  // namespace nearfork

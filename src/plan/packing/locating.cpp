#include "plan/packing/locating.hpp"

#include <algorithm>
#include <optional>

namespace nearfork {
namespace {

using rounds_of_subgraph = std::vector<std::optional<subtree_traffic>>;  // by domain

bool is_mostly_local(const subtree_traffic& one) noexcept {
  return one.local >= one.remote;
}

std::vector<rounds_of_subgraph> sorted(const packing& subgraphs, std::uint32_t domains,
                                       std::span<const subtree_traffic> seen) {
  std::vector<rounds_of_subgraph> made(subgraphs.size(), rounds_of_subgraph(domains));
  for (const subtree_traffic& one : seen) {
    const auto found = std::ranges::lower_bound(subgraphs, one.root);
    if (found == subgraphs.end() || *found != one.root || one.domain >= domains) continue;
    auto& round = made[static_cast<std::size_t>(found - subgraphs.begin())][one.domain];
    if (!round) round = one;
  }
  return made;
}

subgraph_home home_of(std::uint32_t subgraph, const rounds_of_subgraph& rounds, locate_rule rule) {
  const auto domains = static_cast<std::uint32_t>(rounds.size());
  const auto in_turn = [&](std::uint32_t round) { return static_cast<std::uint16_t>((subgraph + round) % domains); };
  for (std::uint32_t r = 0; r < domains; ++r) {
    const std::uint16_t domain = in_turn(r);
    if (!rounds[domain]) return {.domain = domain};
    if (rule == locate_rule::first && is_mostly_local(*rounds[domain])) return {.domain = domain, .decided = true};
  }
  const auto best = std::ranges::max_element(rounds, {}, [](const auto& one) { return one->local; });
  return {.domain = static_cast<std::uint16_t>(best - rounds.begin()),
          .pool = is_mostly_local(**best) ? pool_class::high : pool_class::weak,
          .decided = true};
}

}  // namespace

std::vector<subgraph_home> locate(const packing& subgraphs, std::uint32_t domains,
                                  std::span<const subtree_traffic> seen, locate_rule rule) {
  std::vector<subgraph_home> homes;
  const std::vector<rounds_of_subgraph> rounds = sorted(subgraphs, domains, seen);
  for (std::uint32_t g = 0; g < subgraphs.size(); ++g) homes.push_back(home_of(g, rounds[g], rule));
  return homes;
}

}  // namespace nearfork

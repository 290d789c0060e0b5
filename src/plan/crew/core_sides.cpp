#include "plan/crew/core_sides.hpp"

#include <algorithm>
#include <map>

namespace nearfork {
namespace {

constexpr int unranked = -1;

/// That of most of the cores.
int rank_of(const machine& where, const std::vector<core_id>& cores) {
  std::map<int, std::size_t> cores_of_rank;
  for (const core_id core : cores) ++cores_of_rank[nearfork::rank_of(where, core)];
  const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto most = std::max_element(cores_of_rank.begin(), cores_of_rank.end(), fewer);
  return most == cores_of_rank.end() ? unranked : most->first;
}

}  // namespace

int rank_of(const machine& where, core_id core) {
  const unsigned kind = where.at(core).kind;
  return kind < where.core_kinds().size() ? where.core_kinds()[kind].efficiency : unranked;
}

core_sides sides_of(const machine& where, std::span<const std::vector<core_id>> cores_of_domain) {
  std::vector<int> ranks;
  for (const std::vector<core_id>& cores : cores_of_domain) ranks.push_back(rank_of(where, cores));
  core_sides made;
  if (ranks.empty()) return made;
  const int fastest = std::ranges::max(ranks);
  for (const int rank : ranks) {
    made.is_big.push_back(rank == fastest);
    ++(rank == fastest ? made.big : made.little);
  }
  return made;
}

core_sides sides_of(const machine& where) {
  std::vector<std::vector<core_id>> cores;
  for (const domain& one : where.domains()) cores.push_back(one.cores);
  return sides_of(where, cores);
}

}  // namespace nearfork

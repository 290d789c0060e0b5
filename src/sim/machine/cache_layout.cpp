#include "sim/machine/cache_layout.hpp"

#include <algorithm>

namespace nearfork::sim {
namespace {

/// One cache of each level.
std::vector<cache_level> levels_of(const domain& where) {
  std::vector<cache_level> levels;
  for (const cache_level& cache : where.caches) {
    if (levels.empty() || levels.back().level != cache.level) levels.push_back(cache);
    else if (cache.bytes_of(1) < levels.back().bytes_of(1)) levels.back() = cache;
  }
  return levels;
}

void add_level(const domain& where, const cache_level& cache, cache_layout& into) {
  const std::uint64_t group = std::min<std::uint64_t>(cache.sharers(), where.cores.size());
  for (std::size_t i = 0; i < where.cores.size(); ++i) {
    if (i % group == 0) into.caches.push_back({cache.level, cache.bytes_of(group)});
    into.of_core[index_of_id(where.cores[i])].push_back(static_cast<std::uint32_t>(into.caches.size() - 1));
  }
}

}  // namespace

std::size_t cache_layout::most_levels() const noexcept {
  std::size_t most = 0;
  for (const auto& path : of_core) most = std::max(most, path.size());
  return most;
}

cache_layout caches_of(const machine& where) {
  cache_layout made;
  made.of_core.resize(where.cores().size());
  for (const domain& one : where.domains())
    for (const cache_level& cache : levels_of(one)) add_level(one, cache, made);
  return made;
}

}  // namespace nearfork::sim

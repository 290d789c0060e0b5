#include "sim/machine/cache_layout.hpp"

#include <algorithm>

namespace nearfork::sim {
namespace {

/// One cache of each level: of several sorts the one that gives each core least.
std::vector<cache_level> levels_of(const domain& where) {
  std::vector<cache_level> levels;
  for (const cache_level& cache : where.caches) {
    if (levels.empty() || levels.back().level != cache.level) levels.push_back(cache);
    else if (cache.bytes_of(1) < levels.back().bytes_of(1)) levels.back() = cache;
  }
  return levels;
}

/// `cores`: that have such a cache. Those that share one follow each other.
void add_level(const machine& where, const std::vector<core_id>& cores, const cache_level& cache, cache_layout& into) {
  const std::uint64_t group = std::min<std::uint64_t>(cache.sharers(), cores.size());
  for (std::size_t i = 0; i < cores.size(); ++i) {
    if (i % group == 0) into.caches.push_back({cache.level, cache.bytes_of(group), where.at(cores[i]).kind});
    into.of_core[index_of_id(cores[i])].push_back(static_cast<std::uint32_t>(into.caches.size() - 1));
  }
}

bool are_alike(const cache_level& one, const cache_level& other) {
  return one.level == other.level && one.size_bytes == other.size_bytes && one.sharers() == other.sharers();
}

/// Counts of misses are by place in the way from the core outward, so all cores of a domain must have the same levels.
bool know_their_caches(const machine& where, const domain& of) {
  if (of.cores.empty()) return false;
  const auto& first = where.at(of.cores.front()).caches;
  return !first.empty() && std::ranges::all_of(of.cores, [&](core_id id) {
    return std::ranges::equal(where.at(id).caches, first, {}, &cache_level::level, &cache_level::level);
  });
}

/// Cores of one sort follow each other, with cores of other sorts between them at most.
void add_own_caches(const machine& where, const domain& of, cache_layout& into) {
  for (std::size_t level = 0; level < where.at(of.cores.front()).caches.size(); ++level) {
    std::vector<core_id> left = of.cores;
    while (!left.empty()) {
      const cache_level& sort = where.at(left.front()).caches[level];
      const auto has_it = [&](core_id id) { return are_alike(where.at(id).caches[level], sort); };
      const auto rest = std::ranges::stable_partition(left, has_it);
      add_level(where, {left.begin(), rest.begin()}, sort, into);
      left.erase(left.begin(), rest.begin());
    }
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
  for (const domain& one : where.domains()) {
    if (know_their_caches(where, one)) add_own_caches(where, one, made);
    else
      for (const cache_level& cache : levels_of(one)) add_level(where, one.cores, cache, made);
  }
  return made;
}

}  // namespace nearfork::sim

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

void add_level(const domain& where, const cache_level& cache, cache_layout& into) {
  const std::uint64_t group = std::min<std::uint64_t>(cache.sharers(), where.cores.size());
  for (std::size_t i = 0; i < where.cores.size(); ++i) {
    if (i % group == 0) into.caches.push_back({cache.level, cache.bytes_of(group)});
    into.of_core[index_of_id(where.cores[i])].push_back(static_cast<std::uint32_t>(into.caches.size() - 1));
  }
}

bool are_alike(const cache_level& one, const cache_level& other) {
  return one.level == other.level && one.size_bytes == other.size_bytes && one.sharers() == other.sharers();
}

/// Counts of misses are by place in the way from the core outward, so all cores of a domain must have the same levels.
bool know_their_caches(const machine& where, const domain& of) {
  const auto& first = where.at(of.cores.front()).caches;
  return !first.empty() && std::ranges::all_of(of.cores, [&](core_id id) {
    return std::ranges::equal(where.at(id).caches, first, {}, &cache_level::level, &cache_level::level);
  });
}

/// Cores that share a cache follow each other, with cores between them at most that have other sorts of it.
void add_sort(const machine& where, const domain& of, std::size_t level, const cache_level& sort, cache_layout& into) {
  std::vector<core_id> cores;
  for (const core_id id : of.cores)
    if (are_alike(where.at(id).caches[level], sort)) cores.push_back(id);
  add_level({.package = of.package, .cores = std::move(cores), .caches = {}, .nodes = {}}, sort, into);
}

/// Each core has its own sorts: little cores share what each big core has for itself.
void add_own_caches(const machine& where, const domain& of, cache_layout& into) {
  for (std::size_t level = 0; level < where.at(of.cores.front()).caches.size(); ++level) {
    std::vector<cache_level> sorts;
    for (const core_id id : of.cores) {
      const cache_level& cache = where.at(id).caches[level];
      if (std::ranges::any_of(sorts, [&](const cache_level& one) { return are_alike(one, cache); })) continue;
      sorts.push_back(cache);
      add_sort(where, of, level, cache, into);
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
      for (const cache_level& cache : levels_of(one)) add_level(one, cache, made);
  }
  return made;
}

}  // namespace nearfork::sim

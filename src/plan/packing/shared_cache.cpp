#include "plan/packing/shared_cache.hpp"

#include <algorithm>
#include <limits>

namespace nearfork {

std::uint64_t shared_cache_bytes(const domain& where) noexcept {
  if (where.caches.empty()) return 0;
  const unsigned last_level = where.caches.back().level;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const cache_level& cache : where.caches) {
    if (cache.level != last_level) continue;  // if a level has several sorts, the smallest per core counts
    const std::uint64_t sharers = std::max(1U, cache.shared_by_cores);
    least = std::min(least, cache.size_bytes / sharers * where.cores.size() +
                                cache.size_bytes % sharers * where.cores.size() / sharers);
  }
  return least;
}

std::uint64_t least_shared_cache_bytes(const machine& where) noexcept {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const domain& one : where.domains()) least = std::min(least, shared_cache_bytes(one));
  return least;
}

}  // namespace nearfork

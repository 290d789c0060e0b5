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
    least = std::min(least, cache.bytes_of(where.cores.size()));
  }
  return least;
}

std::uint64_t least_shared_cache_bytes(const machine& where) noexcept {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const domain& one : where.domains()) least = std::min(least, shared_cache_bytes(one));
  return least;
}

std::uint64_t common_cache_bytes(const domain& where) noexcept {
  if (where.caches.empty() || where.caches.back().shared_by_cores < where.cores.size()) return 0;
  return where.caches.back().size_bytes;
}

std::uint64_t subtree_cache_bytes(const domain& where) noexcept {
  const std::uint64_t all = shared_cache_bytes(where);
  return all == 0 || common_cache_bytes(where) > 0 ? all : all / where.cores.size();
}

bool share_caches(const machine& where) {
  return std::ranges::all_of(where.domains(),
                             [](const domain& one) { return one.caches.empty() || common_cache_bytes(one) > 0; });
}

}  // namespace nearfork

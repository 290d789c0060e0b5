// Counts of the accesses to the memory of the simulated machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace nearfork::sim {

inline constexpr std::size_t most_cache_levels = 4;

struct level_count {
  std::uint64_t accesses = 0;
  std::uint64_t hits = 0;
  friend constexpr bool operator==(level_count, level_count) = default;
  [[nodiscard]] constexpr std::uint64_t misses() const noexcept { return accesses - hits; }
};

/// In lines.
struct memory_counts {
  std::array<level_count, most_cache_levels> level{};  // from the core outward: the first cache, the second, ...
  std::uint64_t accesses = 0;                          // of all tasks
  std::uint64_t local = 0;                             // reads from memory of the core's own domain
  std::uint64_t remote = 0;                            // reads from other memory
  std::uint64_t writebacks = 0;                        // writes to memory
  std::uint64_t invalidations = 0;  // copies that outermost caches lost because a core of another one wrote
  std::uint64_t carried = 0;        // lines on links, once for each link
  std::uint64_t side_hits = 0;      // reads and writes of memory that its memory-side cache had
  std::uint64_t side_misses = 0;    // and that it did not have
  friend constexpr bool operator==(const memory_counts&, const memory_counts&) = default;
};

/// The counts in between: counts only grow.
[[nodiscard]] constexpr memory_counts operator-(memory_counts later, const memory_counts& earlier) noexcept {
  for (std::size_t i = 0; i < most_cache_levels; ++i) {
    later.level[i].accesses -= earlier.level[i].accesses;
    later.level[i].hits -= earlier.level[i].hits;
  }
  later.accesses -= earlier.accesses;
  later.local -= earlier.local;
  later.remote -= earlier.remote;
  later.writebacks -= earlier.writebacks;
  later.invalidations -= earlier.invalidations;
  later.carried -= earlier.carried;
  later.side_hits -= earlier.side_hits;
  later.side_misses -= earlier.side_misses;
  return later;
}

/// Where a counted line stands for several.
[[nodiscard]] constexpr memory_counts operator*(memory_counts counted, std::uint64_t lines) noexcept {
  for (level_count& one : counted.level) {
    one.accesses *= lines;
    one.hits *= lines;
  }
  counted.accesses *= lines;
  counted.local *= lines;
  counted.remote *= lines;
  counted.writebacks *= lines;
  counted.invalidations *= lines;
  counted.carried *= lines;
  counted.side_hits *= lines;
  counted.side_misses *= lines;
  return counted;
}

}  // namespace nearfork::sim

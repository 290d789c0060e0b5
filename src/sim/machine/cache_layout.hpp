// Which caches there are, and which of them each core sees, from the core outwards.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/model/machine.hpp"

namespace nearfork::sim {

/// One cache.
struct cache_instance {
  unsigned level = 0;
  std::uint64_t size_bytes = 0;
};

struct cache_layout {
  std::vector<cache_instance> caches{};
  std::vector<std::vector<std::uint32_t>> of_core{};  // cores by dense id; the last one is the core's outermost

  /// Levels that a core of the machine can have, at most.
  [[nodiscard]] std::size_t most_levels() const noexcept;
};

/// Where a domain has several sorts of one level, all its cores get the one that gives each core least, as plans count
/// on it. Of a cache that spans several domains each gets the part of its cores.
[[nodiscard]] cache_layout caches_of(const machine& where);

}  // namespace nearfork::sim

// The caches of a machine, and which of them each core sees, from the core outward.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/model/machine.hpp"

namespace nearfork::sim {

/// One cache.
struct cache_instance {
  unsigned level = 0;
  std::uint64_t size_bytes = 0;
  unsigned kind = 0;  // of machine::core_kinds: of its first core
};

struct cache_layout {
  std::vector<cache_instance> caches{};
  std::vector<std::vector<std::uint32_t>> of_core{};  // by dense id of the core; the last one is the core's outermost

  /// The largest number of levels that a core of the machine has.
  [[nodiscard]] std::size_t most_levels() const noexcept;
};

/// Each core has the caches that the machine says of it (core::caches). If cores of one domain have different levels,
/// all of them get the sort of each level that gives each core least, as plans assume.
/// If a cache spans several domains, each domain gets the part of its cores.
[[nodiscard]] cache_layout caches_of(const machine& where);

}  // namespace nearfork::sim

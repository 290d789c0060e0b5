// The two sides of a machine whose domains have cores of unequal kinds: SAWS's big and little sockets.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/model/machine.hpp"

namespace nearfork {

struct core_sides {
  std::vector<bool> is_big;  // by domain: most of its cores are of the fastest kind that these domains have
  std::uint32_t big = 0;     // domains
  std::uint32_t little = 0;

  /// False: no domain is known to be faster than another.
  [[nodiscard]] bool differ() const noexcept { return big > 0 && little > 0; }
  /// The balancing factor at which all domains have the same share.
  [[nodiscard]] double even_factor() const noexcept { return static_cast<double>(big) / static_cast<double>(little); }
  friend bool operator==(const core_sides&, const core_sides&) = default;
};

/// hwloc's rank of the core's kind: faster kinds have higher ones. A kind whose rank is not known has the lowest.
[[nodiscard]] int rank_of(const machine& where, core_id core);

/// By hwloc's ranks. A kind whose rank is not known counts as slower than all kinds with a rank. Of two kinds that have
/// equally many cores in a domain, the slower one counts.
[[nodiscard]] core_sides sides_of(const machine& where);
/// Of domains that have these cores of `where`.
[[nodiscard]] core_sides sides_of(const machine& where, std::span<const std::vector<core_id>> cores_of_domain);

}  // namespace nearfork

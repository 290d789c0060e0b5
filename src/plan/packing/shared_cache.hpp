// The last-level cache that a subtree can use: the size of a socket's shared cache in A-CAB and LAWS.
#pragma once

#include <cstdint>

#include "machine/model/machine.hpp"

namespace nearfork {

/// The part of the last-level cache that belongs to the cores of `where`. If they have several such caches (Knights
/// Landing: one per two cores), the sum. If a cache spans several domains (sub-NUMA clustering), these cores' part of
/// it. 0: no cache is known.
[[nodiscard]] std::uint64_t shared_cache_bytes(const domain& where) noexcept;

/// The size of the cache that all cores of `where` share. 0: there is none.
[[nodiscard]] std::uint64_t common_cache_bytes(const domain& where) noexcept;

/// True if the cores of each domain share a cache, as far as caches are known.
[[nodiscard]] bool share_caches(const machine& where);

/// What a subtree of the domain can have of it: where the domain's cores share a cache, all, because subtrees come one
/// at a time. Elsewhere they run side by side, and each has a core's part.
[[nodiscard]] std::uint64_t subtree_cache_bytes(const domain& where) noexcept;

/// SAWS V.B: data leave room in their domain's cache if stolen data can stay there, too, for the next iteration. 0
/// cache bytes: not known.
[[nodiscard]] constexpr bool leave_room(double data_bytes, double cache_bytes) noexcept {
  return data_bytes < cache_bytes;
}

/// The smallest of all domains: a subtree without a domain must fit everywhere.
[[nodiscard]] std::uint64_t least_shared_cache_bytes(const machine& where) noexcept;

}  // namespace nearfork

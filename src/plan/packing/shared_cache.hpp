// How much last-level cache a subtree may count on: A-CAB's and LAWS's size of the shared cache of a socket.
#pragma once

#include <cstdint>

#include "machine/model/machine.hpp"

namespace nearfork {

/// The part of the last-level cache that belongs to the cores of `where`. Where they have several such caches between
/// them (Knights Landing: one per two cores), their sum; where one spans several domains (sub-NUMA clustering), the
/// cores' part of it. 0: no cache is known.
[[nodiscard]] std::uint64_t shared_cache_bytes(const domain& where) noexcept;

/// Of the domain that has least: a subtree without a domain must fit everywhere.
[[nodiscard]] std::uint64_t least_shared_cache_bytes(const machine& where) noexcept;

}  // namespace nearfork

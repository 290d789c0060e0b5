// The attributes of a synthetic machine: the words in parentheses, as in l3:1(size=32MiB) and pu:2(indexes=1,0).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nearfork {

/// The largest cache that a description may have: 1 TiB. The largest that is built has 64 GiB (HBM as a cache).
inline constexpr std::uint64_t most_cache_bytes = std::uint64_t{1} << 40;
/// The largest memory node that a description may have: 8 PiB. An x86 processor addresses 4, and the sum over 1024
/// nodes still fits 64 bits.
inline constexpr std::uint64_t most_node_bytes = std::uint64_t{1} << 53;
/// hwloc's sets have a bit for each lower number.
inline constexpr std::uint64_t most_os_index = std::uint64_t{1} << 20;

/// hwloc passes over attributes that it does not understand, and reads some otherwise than people do.
/// Throws: nearfork::error that names the attribute, if a cache has no byte, if a size is impossible, if a number has a
/// sign or a leading zero, if there are too many or too few indexes, or if two PUs have the same one. `quoted` is the
/// description as messages show it.
void require_plain_attributes(std::string_view description, const std::string& quoted);

}  // namespace nearfork

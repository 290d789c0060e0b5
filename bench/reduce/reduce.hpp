// A sum over scrambled numbers: a parallel reduction with bodies of a nanosecond and no memory.
#pragma once

#include <cstdint>

namespace reduce {

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
inline std::uint64_t body(std::uint64_t i) {
  i = (i ^ (i >> 30)) * 0xbf58'476d'1ce4'e5b9ULL;
  i = (i ^ (i >> 27)) * 0x94d0'49bb'1331'11ebULL;
  return i ^ (i >> 31);
}

/// The sum of body(i) for i < count, modulo 2^64; each contender defines solve().
[[nodiscard]] std::uint64_t solve(std::uint64_t count);

}  // namespace reduce

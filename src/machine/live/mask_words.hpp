// Sizes of the bit sets that system calls about PUs and nodes take.
#pragma once

#include <climits>
#include <cstddef>

namespace nearfork {

inline constexpr std::size_t bits_per_word = sizeof(unsigned long) * CHAR_BIT;
/// Beyond what any kernel is built for. The kernel refuses a set that is smaller than its own.
inline constexpr std::size_t most_pus = 1 << 16;

}  // namespace nearfork

// Size classes of small blocks: powers of two. Each block lies at a multiple of its size, so a class also guarantees an
// alignment. A request with a larger alignment than size gets a block of a larger class.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace nearfork {

/// Class 0 has smallest_block_bytes; each next class has twice the size.
enum class size_class : std::uint8_t {};

inline constexpr std::size_t smallest_block_bytes = 16;  // room for two links, and the alignment of malloc
inline constexpr std::size_t largest_block_bytes = std::size_t{64} << 10;
inline constexpr unsigned size_classes = std::bit_width(largest_block_bytes) - std::bit_width(smallest_block_bytes) + 1;

[[nodiscard]] constexpr unsigned index_of(size_class of) noexcept {
  return static_cast<unsigned>(of);
}
[[nodiscard]] constexpr std::size_t block_bytes(size_class of) noexcept {
  return smallest_block_bytes << index_of(of);
}

/// Not std::has_single_bit: on instruction sets without a population count it is a call, 2 ns per allocation.
[[nodiscard]] constexpr bool is_power_of_two(std::size_t number) noexcept {
  return number != 0 && (number & (number - 1)) == 0;
}

/// The class whose blocks hold `bytes` at a multiple of `alignment` (a power of two). Both must be at most
/// largest_block_bytes.
[[nodiscard]] constexpr size_class class_for(std::size_t bytes, std::size_t alignment) noexcept {
  const std::size_t wanted = std::max({bytes, alignment, smallest_block_bytes});
  return static_cast<size_class>(std::bit_width(wanted - 1) - std::bit_width(smallest_block_bytes - 1));
}

}  // namespace nearfork

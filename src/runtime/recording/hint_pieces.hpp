// The pieces of memory that a hint names.
#pragma once

#include <algorithm>
#include <cstdint>

#include "recording/recording.hpp"

namespace nearfork {

/// Calls piece(begin, end, bytes) for each piece of the hint; bytes: what is touched between the two. More than 64
/// pieces are one, from the first byte to the last, as if its bytes lay evenly in it: a column of a matrix has a
/// million.
template <class Piece>
void for_each_piece(const recordings::data_access& hint, Piece&& piece) {
  constexpr std::uint64_t most_single_pieces = 64;
  const std::uint64_t count = std::max<std::uint64_t>(1, hint.count);
  if (count > most_single_pieces)
    return piece(hint.begin_byte, hint.begin_byte + (count - 1) * hint.stride_bytes + hint.size_bytes,
                 hint.size_bytes * count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t begin = hint.begin_byte + i * hint.stride_bytes;
    piece(begin, begin + hint.size_bytes, hint.size_bytes);
  }
}

}  // namespace nearfork

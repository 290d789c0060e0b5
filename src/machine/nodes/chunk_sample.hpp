// Into which chunks data are cut, and how hot one is by a sample of its pages: BATS, section 5.2, Eq. 3. Pure numbers.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/rng.hpp"

namespace nearfork {

inline constexpr std::uint64_t most_pages_of_chunk = 512;  // 2 MiB, as BATS' Table 3 has it for 16 GiB
inline constexpr std::uint64_t wanted_chunks = 8192;       // so many that Table 3 has
inline constexpr std::uint32_t sampled_pages = 4;          // of each chunk

/// Smaller data have smaller chunks, so that there are still many to move.
[[nodiscard]] constexpr std::uint64_t pages_of_chunk(std::uint64_t all_pages) noexcept {
  return std::clamp<std::uint64_t>(all_pages / wanted_chunks, 1, most_pages_of_chunk);
}

/// `accesses(page)`: of one of `pages` pages. As many pages as sampled_pages are chosen by chance, all if there are no
/// more. Accesses of the whole chunk, estimated.
template <class Accesses>
[[nodiscard]] double sampled_heat(std::uint64_t pages, rng& random, Accesses&& accesses) {
  double sum = 0;
  const bool all = pages <= sampled_pages;
  const auto count = all ? static_cast<std::uint32_t>(pages) : sampled_pages;
  for (std::uint32_t i = 0; i < count; ++i)
    sum += static_cast<double>(accesses(all ? i : random.below(static_cast<std::uint32_t>(pages))));
  return count == 0 ? 0 : sum * static_cast<double>(pages) / count;
}

}  // namespace nearfork

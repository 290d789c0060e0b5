// Where the cells of tiles lie (tile_bands.hpp): at addresses that no memory has. Other cells lie where their bytes do.
#pragma once

#include <cstdint>

namespace nearfork {

inline constexpr std::uintptr_t first_band_address = std::uintptr_t{1} << 60;
inline constexpr std::uintptr_t end_of_band_addresses = std::uintptr_t{1} << 61;
[[nodiscard]] inline bool is_band_address(std::uintptr_t at) noexcept {
  return at >= first_band_address;
}

}  // namespace nearfork

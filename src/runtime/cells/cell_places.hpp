// Where cells lie: at the addresses of their bytes, or at places, which are addresses that no memory has.
#pragma once

#include <cstdint>

namespace nearfork {

inline constexpr std::uintptr_t first_place = std::uintptr_t{1} << 60;
inline constexpr std::uintptr_t last_place = std::uintptr_t{1} << 61;
[[nodiscard]] inline bool is_place(std::uintptr_t at) noexcept {
  return at >= first_place;
}

}  // namespace nearfork

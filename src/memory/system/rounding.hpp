#pragma once

#include <cstddef>

namespace nearfork {

/// The least multiple of `unit` that is not below `bytes`.
constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) noexcept {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace nearfork

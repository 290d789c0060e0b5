// CRC-32C (Castagnoli), which finds every burst of up to 32 wrong bits. RFC 3720, appendix B.4 has test values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nearfork::trace {

namespace detail {

inline constexpr auto crc_of_byte = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ ((rest & 1) != 0 ? 0x82f63b78U : 0);
    table[byte] = rest;
  }
  return table;
}();

}  // namespace detail

/// Of `bytes` after those that gave `before`.
[[nodiscard]] constexpr std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0) noexcept {
  std::uint32_t rest = ~before;
  for (const char c : bytes) rest = rest >> 8 ^ detail::crc_of_byte[(rest ^ static_cast<unsigned char>(c)) & 0xff];
  return ~rest;
}

}  // namespace nearfork::trace

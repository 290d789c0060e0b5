// CRC-32C (Castagnoli), which finds every burst of up to 32 wrong bits. RFC 3720, appendix B.4 has test values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nearfork::recordings {

namespace detail {

/// crc_after[n][byte]: the checksum of that byte and n zeros after it. So eight bytes at a time are looked up
/// independently (Kounavis and Berry, "Novel table lookup-based algorithms for high-performance CRC generation", IEEE
/// Trans. Computers 57, 2008).
inline constexpr auto crc_after = [] {
  std::array<std::array<std::uint32_t, 256>, 8> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ ((rest & 1) != 0 ? 0x82f63b78U : 0);
    table[0][byte] = rest;
  }
  for (std::size_t zeros = 1; zeros < table.size(); ++zeros)
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = table[zeros - 1][byte];
      table[zeros][byte] = before >> 8 ^ table[0][before & 0xff];
    }
  return table;
}();

[[nodiscard]] constexpr std::uint32_t little_endian32(std::string_view bytes, std::size_t at) noexcept {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) value |= std::uint32_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return value;
}

}  // namespace detail

/// The checksum of `bytes` after those with the checksum `before`.
[[nodiscard]] constexpr std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0) noexcept {
  const auto& after = detail::crc_after;
  std::uint32_t rest = ~before;
  std::size_t at = 0;
  for (; bytes.size() - at >= 8; at += 8) {
    const std::uint32_t low = rest ^ detail::little_endian32(bytes, at);
    const std::uint32_t high = detail::little_endian32(bytes, at + 4);
    rest = after[7][low & 0xff] ^ after[6][low >> 8 & 0xff] ^ after[5][low >> 16 & 0xff] ^ after[4][low >> 24] ^
           after[3][high & 0xff] ^ after[2][high >> 8 & 0xff] ^ after[1][high >> 16 & 0xff] ^ after[0][high >> 24];
  }
  for (; at < bytes.size(); ++at) rest = rest >> 8 ^ after[0][(rest ^ static_cast<unsigned char>(bytes[at])) & 0xff];
  return ~rest;
}

}  // namespace nearfork::recordings

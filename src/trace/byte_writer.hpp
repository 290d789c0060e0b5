// Numbers as bytes: fixed ones little-endian, the others 7 bits a byte, least first, the top bit set on all but the last.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace nearfork::trace {

/// Small differences of either sign as small numbers: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
[[nodiscard]] constexpr std::uint64_t zigzag(std::uint64_t difference) noexcept {
  return difference << 1 ^ (difference >> 63 != 0 ? ~std::uint64_t{0} : 0);
}
[[nodiscard]] constexpr std::uint64_t from_zigzag(std::uint64_t coded) noexcept {
  return coded >> 1 ^ ((coded & 1) != 0 ? ~std::uint64_t{0} : 0);
}

class byte_writer {
 public:
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
    bytes_.push_back(static_cast<char>(value));
  }
  void fixed32(std::uint32_t value) { fixed(value, 4); }
  void fixed64(std::uint64_t value) { fixed(value, 8); }
  void text(std::string_view value) {
    number(value.size());
    raw(value);
  }
  void raw(std::string_view value) { bytes_ += value; }

  [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::string take() noexcept { return std::move(bytes_); }

 private:
  void fixed(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes_.push_back(static_cast<char>(value >> (8 * i)));
  }

  std::string bytes_;
};

}  // namespace nearfork::trace

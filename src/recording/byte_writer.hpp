// Numbers as bytes. Fixed ones are little-endian. The others have 7 bits a byte, least first, with the top bit set on
// all bytes but the last.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace nearfork::recordings {

/// Maps small differences of either sign to small numbers: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
[[nodiscard]] constexpr std::uint64_t zigzag(std::uint64_t difference) noexcept {
  return difference << 1 ^ (difference >> 63 != 0 ? ~std::uint64_t{0} : 0);
}
[[nodiscard]] constexpr std::uint64_t from_zigzag(std::uint64_t coded) noexcept {
  return coded >> 1 ^ ((coded & 1) != 0 ? ~std::uint64_t{0} : 0);
}

class byte_writer {
 public:
  void number(std::uint64_t value) {
    if (bytes_.size() - used_ < most_number_bytes) grow(most_number_bytes);
    char* to = bytes_.data() + used_;
    for (; value >= 0x80; value >>= 7) *to++ = static_cast<char>(value | 0x80);
    *to++ = static_cast<char>(value);
    used_ = static_cast<std::size_t>(to - bytes_.data());
  }
  void fixed32(std::uint32_t value) { fixed(value, 4); }
  void fixed64(std::uint64_t value) { fixed(value, 8); }
  void text(std::string_view value) {
    number(value.size());
    raw(value);
  }
  void raw(std::string_view value) {
    bytes_.resize(used_);
    bytes_ += value;
    used_ = bytes_.size();
  }

  [[nodiscard]] std::string_view bytes() const noexcept { return {bytes_.data(), used_}; }
  [[nodiscard]] std::string take() {
    bytes_.resize(used_);
    used_ = 0;
    return std::move(bytes_);
  }

 private:
  static constexpr std::size_t most_number_bytes = 10;

  void grow(std::size_t least) { bytes_.resize(used_ + std::max(least, used_ / 2)); }
  void fixed(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) number_byte(static_cast<char>(value >> (8 * i)));
  }
  void number_byte(char one) {
    if (bytes_.size() == used_) grow(most_number_bytes);
    bytes_[used_++] = one;
  }

  /// The first used_ bytes are written. Pushing one byte at a time to a string took as long as all the rest.
  std::string bytes_;
  std::size_t used_ = 0;
};

}  // namespace nearfork::recordings

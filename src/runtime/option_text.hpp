// Option values from text and back. Each parser returns nothing for text that is not allowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nearfork {

struct number_range {
  std::uint64_t least;
  std::uint64_t most;
  [[nodiscard]] constexpr bool holds(std::uint64_t value) const { return least <= value && value <= most; }
};

/// Decimal, or hexadecimal after 0x.
[[nodiscard]] std::optional<std::uint64_t> parse_number(std::string_view text, number_range range);
/// A number of bytes, or of KiB or MiB after K or M.
[[nodiscard]] std::optional<std::uint64_t> parse_size(std::string_view text, number_range range);
[[nodiscard]] std::optional<bool> parse_switch(std::string_view text);
inline constexpr std::string_view switch_words = "on, off, yes, no, true, false, 1, 0";

/// The shortest text that parse_size() reads as `size_bytes`.
[[nodiscard]] std::string size_text(std::uint64_t size_bytes);

/// Edits (insert, remove, replace one character) that turn one word into the other.
[[nodiscard]] std::size_t edit_distance(std::string_view one, std::string_view other);

}  // namespace nearfork

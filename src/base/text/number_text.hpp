// Numbers from text and back: the one reader for command lines, NEARFORK_* variables, sizes of workloads and model
// files. Each reader returns nullopt for text that is not allowed. Only the number itself is accepted: no sign, no
// space, no exponent, and no leading zero, because 010 means 8 to some readers and 10 to others.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace nearfork {

struct number_range {
  std::uint64_t least;
  std::uint64_t most;
  [[nodiscard]] constexpr bool holds(std::uint64_t value) const { return least <= value && value <= most; }
};
inline constexpr number_range any_number{0, std::numeric_limits<std::uint64_t>::max()};

/// Decimal, or hexadecimal after 0x.
[[nodiscard]] std::optional<std::uint64_t> parse_number(std::string_view text, number_range range);
/// A number of bytes (or of something else). K, M or G after the number multiplies it by 1024, 1024^2 or
/// 1024^3.
[[nodiscard]] std::optional<std::uint64_t> parse_size(std::string_view text, number_range range);
/// A finite number such as 2.5, -3 or 1e3. Only this reader accepts a sign and an exponent.
[[nodiscard]] std::optional<double> parse_decimal(std::string_view text);

/// The shortest text that parse_size() reads as `size_bytes`.
[[nodiscard]] std::string size_text(std::uint64_t size_bytes);
/// "1 to 4096".
[[nodiscard]] std::string text_of(number_range range);
/// The remark of a message on the form of a refused number: " (without leading zeros)" for 010, else nothing.
[[nodiscard]] std::string_view remark_on_number(std::string_view refused);

}  // namespace nearfork

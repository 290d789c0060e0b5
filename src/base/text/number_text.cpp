#include "base/text/number_text.hpp"

#include <charconv>
#include <cmath>
#include <version>

#ifndef __cpp_lib_to_chars
#include <locale>
#include <sstream>
#endif

namespace nearfork {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// 010 and 00, but not 0, 0.5 and 0x10.
bool has_leading_zero(std::string_view text) {
  return text.size() > 1 && text[0] == '0' && is_digit(text[1]);
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  if (has_leading_zero(text)) return std::nullopt;
  int base = 10;
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
    base = 16;
  }
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// From the first to the last character. `text` starts with a digit, or with a minus and a digit.
std::optional<double> whole_text_as_double(std::string_view text) {
  double value = 0;
#ifdef __cpp_lib_to_chars
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
#else  // libc++ 19 has no std::from_chars for double
  if (text.find_first_not_of("0123456789.eE+-") != text.npos) return std::nullopt;
  std::istringstream in{std::string(text)};
  in.imbue(std::locale::classic());
  if (!(in >> value) || in.peek() != std::istringstream::traits_type::eof()) return std::nullopt;
#endif
  return value;
}

unsigned size_shift(char suffix) {
  switch (suffix) {
    case 'K':
    case 'k': return 10;
    case 'M':
    case 'm': return 20;
    case 'G':
    case 'g': return 30;
    default: return 0;
  }
}

}  // namespace

std::optional<std::uint64_t> parse_number(std::string_view text, number_range range) {
  const auto value = whole_number(text);
  return value && range.holds(*value) ? value : std::nullopt;
}

std::optional<std::uint64_t> parse_size(std::string_view text, number_range range) {
  const unsigned shift = text.empty() ? 0 : size_shift(text.back());
  if (shift != 0) text.remove_suffix(1);
  const auto value = whole_number(text);
  if (!value || *value > (std::numeric_limits<std::uint64_t>::max() >> shift)) return std::nullopt;
  const std::uint64_t size_bytes = *value << shift;
  return range.holds(size_bytes) ? std::optional(size_bytes) : std::nullopt;
}

std::optional<double> parse_decimal(std::string_view text) {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.empty() || !is_digit(digits.front()) || has_leading_zero(digits)) return std::nullopt;
  const auto value = whole_text_as_double(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string size_text(std::uint64_t size_bytes) {
  for (const char suffix : {'G', 'M', 'K'})
    if (const auto unit = std::uint64_t{1} << size_shift(suffix); size_bytes != 0 && size_bytes % unit == 0)
      return std::to_string(size_bytes / unit) + suffix;
  return std::to_string(size_bytes);
}

std::string text_of(number_range range) {
  return std::to_string(range.least) + " to " + std::to_string(range.most);
}

std::string_view remark_on_number(std::string_view refused) {
  return has_leading_zero(refused) ? " (write it without leading zeros)" : "";
}

}  // namespace nearfork

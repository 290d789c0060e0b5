#include "runtime/option_text.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <vector>

namespace nearfork {
namespace {

std::optional<std::uint64_t> whole_number(std::string_view text) {
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

std::optional<bool> parse_switch(std::string_view text) {
  if (text == "on" || text == "yes" || text == "true" || text == "1") return true;
  if (text == "off" || text == "no" || text == "false" || text == "0") return false;
  return std::nullopt;
}

std::string size_text(std::uint64_t size_bytes) {
  for (const char suffix : {'G', 'M', 'K'})
    if (const auto unit = std::uint64_t{1} << size_shift(suffix); size_bytes != 0 && size_bytes % unit == 0)
      return std::to_string(size_bytes / unit) + suffix;
  return std::to_string(size_bytes);
}

std::size_t edit_distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::size_t replaced = diagonal + (one[i] == other[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace nearfork

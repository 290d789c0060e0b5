// Bars and lines of characters, for terminals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nearfork::tools {

/// Which characters a terminal can show.
enum class chart_characters : std::uint8_t { ascii, blocks };

/// By the variables of the locale, as the C library ranks them: the first that is set and not empty counts. nullptr:
/// not set. Blocks need UTF-8. Pure.
[[nodiscard]] chart_characters characters_for(const char* lc_all, const char* lc_ctype, const char* lang) noexcept;
/// For this process.
[[nodiscard]] chart_characters chart_characters_here();

struct text_bar {
  std::string label;
  double value = 0;   // not negative
  std::string shown;  // the value as text
};

/// A line per bar, indented by two: label, bar, value. The longest bar has `columns` characters; bars begin at 0. A
/// value that is not finite has no bar.
[[nodiscard]] std::string bars_text(const std::vector<text_bar>& bars, std::size_t columns, chart_characters with);

/// One character per value, as high as the value beside the greatest one. More values than `columns` are joined, each
/// character the mean of as many.
[[nodiscard]] std::string line_text(std::span<const double> values, std::size_t columns, chart_characters with);

}  // namespace nearfork::tools

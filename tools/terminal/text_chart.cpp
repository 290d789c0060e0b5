#include "tools/terminal/text_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string_view>

namespace nearfork::tools {
namespace {

constexpr std::size_t steps = 8;
/// Eighths of a block, from the left and from below.
constexpr std::string_view parts_of_bar[steps] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
constexpr std::string_view heights[steps] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::string_view ascii_heights = "_.-=+*%#";

double greatest_of(std::span<const double> values) {
  double greatest = 0;
  for (const double value : values)
    if (std::isfinite(value)) greatest = std::max(greatest, value);
  return greatest;
}

std::string bar_of(double part, std::size_t columns, chart_characters with) {
  const double length = part * static_cast<double>(columns);
  if (with == chart_characters::ascii) return std::string(static_cast<std::size_t>(std::lround(length)), '#');
  const auto eighths = static_cast<std::size_t>(std::lround(length * steps));
  std::string bar;
  for (std::size_t i = 0; i < eighths / steps; ++i) bar += "█";
  return bar.append(parts_of_bar[eighths % steps]);
}

}  // namespace

chart_characters characters_for(const char* lc_all, const char* lc_ctype, const char* lang) noexcept {
  for (const char* const variable : {lc_all, lc_ctype, lang}) {
    if (variable == nullptr || *variable == '\0') continue;
    const std::string_view locale(variable);
    for (const std::string_view utf8 : {"UTF-8", "utf-8", "UTF8", "utf8"})
      if (locale.find(utf8) != locale.npos) return chart_characters::blocks;
    return chart_characters::ascii;
  }
  return chart_characters::ascii;
}

chart_characters chart_characters_here() {
  return characters_for(std::getenv("LC_ALL"), std::getenv("LC_CTYPE"), std::getenv("LANG"));
}

std::string bars_text(const std::vector<text_bar>& bars, std::size_t columns, chart_characters with) {
  std::size_t width = 0;
  std::vector<double> values;
  for (const text_bar& one : bars) {
    width = std::max(width, one.label.size());
    values.push_back(one.value);
  }
  const double greatest = greatest_of(values);
  std::string text;
  for (const text_bar& one : bars) {
    const bool has_bar = std::isfinite(one.value) && greatest > 0;
    const std::string bar = has_bar ? bar_of(std::max(0.0, one.value) / greatest, columns, with) : "";
    text += fmt::format("  {:<{}} {}{}{}\n", one.label, width, bar, bar.empty() ? "" : " ", one.shown);
  }
  return text;
}

std::string line_text(std::span<const double> values, std::size_t columns, chart_characters with) {
  const std::size_t shown = std::min(values.size(), columns);
  std::vector<double> means;
  for (std::size_t i = 0; i < shown; ++i) {
    const auto some =
        values.subspan(i * values.size() / shown, (i + 1) * values.size() / shown - i * values.size() / shown);
    means.push_back(std::accumulate(some.begin(), some.end(), 0.0) / static_cast<double>(some.size()));
  }
  const double greatest = greatest_of(means);
  std::string text;
  for (const double mean : means) {
    const double part = std::isfinite(mean) && greatest > 0 ? std::clamp(mean / greatest, 0.0, 1.0) : 0.0;
    const auto height = std::min(steps - 1, static_cast<std::size_t>(part * steps));
    if (with == chart_characters::ascii) text += ascii_heights[height];
    else text += heights[height];
  }
  return text;
}

}  // namespace nearfork::tools

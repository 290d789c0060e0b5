// Plain pictures: bars in groups, and lines.
#pragma once

#include <string>
#include <vector>

namespace nearfork::tools {

struct chart_series {
  std::string name;
  std::vector<double> values;  // of bars, by group; of lines, by point; no number: left out
};

struct bar_chart {
  std::string title;
  std::string unit;  // of the upright axis
  std::vector<std::string> groups;
  std::vector<chart_series> series;
};

struct line_chart {
  std::string title;
  std::string x_title;
  std::string unit;
  std::vector<double> x;
  std::vector<chart_series> series;  // may be shorter than x
};

/// A whole SVG document; the same chart gives the same bytes.
[[nodiscard]] std::string svg_of(const bar_chart& chart);
[[nodiscard]] std::string svg_of(const line_chart& chart);

}  // namespace nearfork::tools

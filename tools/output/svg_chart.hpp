// Simple charts: bars in groups, and lines.
#pragma once

#include <string>
#include <vector>

namespace nearfork::tools {

struct chart_series {
  std::string name;
  std::vector<double> values;  // bars by group, lines by point; no number: left out
};

struct bar_chart {
  std::string title;
  std::string unit;  // of the vertical axis
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

/// A whole SVG document. The same chart gives the same bytes.
[[nodiscard]] std::string svg_of(const bar_chart& chart);
[[nodiscard]] std::string svg_of(const line_chart& chart);

}  // namespace nearfork::tools

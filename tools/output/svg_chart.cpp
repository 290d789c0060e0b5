#include "tools/output/svg_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace nearfork::tools {
namespace {

constexpr double width = 900;
constexpr double height = 380;
constexpr double left = 70;
constexpr double right = 20;
constexpr double top = 64;
constexpr double bottom = 50;
constexpr double plot_width = width - left - right;
constexpr double plot_height = height - top - bottom;

// The colours of Okabe and Ito, which colour-blind people can tell apart.
constexpr std::array<std::string_view, 6> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};

std::string_view colour_of(std::size_t series) {
  return colours[series % colours.size()];
}

std::string escaped(std::string_view text) {
  std::string made;
  for (const char c : text) switch (c) {
      case '<': made += "&lt;"; break;
      case '>': made += "&gt;"; break;
      case '&': made += "&amp;"; break;
      case '"': made += "&quot;"; break;
      default: made += c;
    }
  return made;
}

/// 1, 2 or 5 times a power of ten, about a fifth of the extent.
double step_of(double extent) {
  const double power = std::pow(10, std::floor(std::log10(extent / 5)));
  for (const double times : {1.0, 2.0, 5.0})
    if (times * power >= extent / 5) return times * power;
  return 10 * power;
}

class axis {
 public:
  axis(double least, double most) : step_(step_of(std::max(most - least, 1e-9))) {
    least_ = std::floor(least / step_) * step_;
    most_ = std::max(least_ + step_, std::ceil(most / step_) * step_);
  }
  [[nodiscard]] double part(double value) const { return (value - least_) / (most_ - least_); }
  template <class Each>
  void for_ticks(const Each& each) const {
    for (int i = 0; least_ + i * step_ <= most_ + step_ / 2; ++i) each(least_ + i * step_);
  }

 private:
  double step_;
  double least_;
  double most_;
};

double y_of(const axis& up, double value) {
  return top + plot_height * (1 - up.part(value));
}

std::string text_at(double x, double y, std::string_view anchor, std::string_view text, int size = 12) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\">{}</text>\n", x, y, anchor,
                     size, escaped(text));
}

axis upright(const std::vector<chart_series>& series) {
  double least = 0;
  double most = 0;
  for (const chart_series& one : series)
    for (const double value : one.values) {
      if (!std::isfinite(value)) continue;
      least = std::min(least, value);
      most = std::max(most, value);
    }
  return {least, most};
}

std::string frame(const std::string& title, const std::string& unit, const std::vector<chart_series>& series,
                  const axis& up) {
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
      width, height);
  svg += text_at(left, 20, "start", title, 15) + text_at(left, top - 8, "start", unit);
  up.for_ticks([&](double value) {
    const double y = y_of(up, value);
    svg += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", left, y,
                       width - right, y, std::abs(value) < 1e-12 ? "black" : "#cccccc");
    svg += text_at(left - 6, y + 4, "end", fmt::format("{:.6g}", value));
  });
  double x = left + 120;
  for (std::size_t i = 0; i < series.size(); ++i) {
    svg += fmt::format("<rect x=\"{:.1f}\" y=\"34\" width=\"12\" height=\"12\" fill=\"{}\"/>\n", x, colour_of(i));
    svg += text_at(x + 16, 44, "start", series[i].name);
    x += 36 + 7.5 * static_cast<double>(series[i].name.size());
  }
  return svg;
}

}  // namespace

std::string svg_of(const bar_chart& chart) {
  const axis up = upright(chart.series);
  std::string svg = frame(chart.title, chart.unit, chart.series, up);
  const double group_width = plot_width / static_cast<double>(std::max<std::size_t>(1, chart.groups.size()));
  const double bar_width = 0.8 * group_width / static_cast<double>(std::max<std::size_t>(1, chart.series.size()));
  for (std::size_t g = 0; g < chart.groups.size(); ++g) {
    const double begin = left + group_width * (static_cast<double>(g) + 0.1);
    svg += text_at(begin + 0.4 * group_width, height - bottom + 18, "middle", chart.groups[g]);
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
      if (g >= chart.series[s].values.size() || !std::isfinite(chart.series[s].values[g])) continue;
      const double y = y_of(up, chart.series[s].values[g]);
      const double zero = y_of(up, 0);
      svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
                         begin + bar_width * static_cast<double>(s), std::min(y, zero), bar_width, std::abs(zero - y),
                         colour_of(s));
    }
  }
  return svg + "</svg>\n";
}

std::string svg_of(const line_chart& chart) {
  const axis up = upright(chart.series);
  std::string svg = frame(chart.title, chart.unit, chart.series, up);
  const auto [least, most] = std::ranges::minmax(chart.x.empty() ? std::vector<double>{0, 1} : chart.x);
  const axis across(least, most);
  const auto x_of = [&](double value) { return left + plot_width * across.part(value); };
  across.for_ticks(
      [&](double value) { svg += text_at(x_of(value), height - bottom + 18, "middle", fmt::format("{:.6g}", value)); });
  svg += text_at(left + plot_width / 2, height - 10, "middle", chart.x_title);
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    std::string points;
    for (std::size_t i = 0; i < std::min(chart.x.size(), chart.series[s].values.size()); ++i)
      if (std::isfinite(chart.series[s].values[i]))
        points += fmt::format("{:.1f},{:.1f} ", x_of(chart.x[i]), y_of(up, chart.series[s].values[i]));
    svg +=
        fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", points, colour_of(s));
  }
  return svg + "</svg>\n";
}

}  // namespace nearfork::tools

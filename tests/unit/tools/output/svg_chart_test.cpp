#include "tools/output/svg_chart.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace nearfork::tools {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(svg_chart, draws_a_bar_for_each_number_that_there_is) {
  const bar_chart chart{"gains", "%", {"heat", "sor"}, {{"laws", {40, -10}}, {"cats", {5, std::nan("")}}}};
  const std::string svg = svg_of(chart);
  // The background, two colours of the legend, three bars.
  EXPECT_EQ(count(svg, "<rect"), 6U);
  EXPECT_THAT(svg, testing::AllOf(testing::StartsWith("<svg"), testing::EndsWith("</svg>\n"),
                                  testing::HasSubstr(">heat<"), testing::Not(testing::HasSubstr("nan"))));
  EXPECT_EQ(svg, svg_of(chart));
}

TEST(svg_chart, hangs_negative_bars_below_zero) {
  const std::string svg = svg_of(bar_chart{"", "", {"one"}, {{"a", {-10}}}});
  // The axis runs from -10 to 0: zero is at the top of the plot, and the bar is all of it.
  EXPECT_THAT(svg, testing::HasSubstr("y=\"64.0\" width=\"648.0\" height=\"266.0\""));
}

TEST(svg_chart, draws_a_line_through_the_points_that_there_are) {
  const line_chart chart{"time", "rows", "ms", {0, 10, 20}, {{"laws", {1, 2, 3}}, {"cats", {1, 2}}}};
  const std::string svg = svg_of(chart);
  EXPECT_EQ(count(svg, "<polyline"), 2U);
  EXPECT_EQ(count(svg, ","), 5U) << "of points alone";
}

TEST(svg_chart, escapes_what_would_be_markup) {
  EXPECT_THAT(svg_of(bar_chart{"a < b & \"c\"", "", {}, {}}), testing::HasSubstr("a &lt; b &amp; &quot;c&quot;"));
}

}  // namespace
}  // namespace nearfork::tools

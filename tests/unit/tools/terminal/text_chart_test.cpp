#include "tools/terminal/text_chart.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace nearfork::tools {
namespace {

constexpr auto ascii = chart_characters::ascii;
constexpr auto blocks = chart_characters::blocks;
const double nan = std::numeric_limits<double>::quiet_NaN();

TEST(text_chart, has_blocks_where_the_locale_has_utf_8) {
  EXPECT_EQ(characters_for(nullptr, nullptr, nullptr), ascii);
  EXPECT_EQ(characters_for(nullptr, nullptr, "de_DE.UTF-8"), blocks);
  EXPECT_EQ(characters_for(nullptr, "C.utf8", "C"), blocks);
  EXPECT_EQ(characters_for("C", "C.utf8", "C.utf8"), ascii) << "LC_ALL counts before the others";
  EXPECT_EQ(characters_for("", "", "en_US.utf-8"), blocks) << "an empty variable does not count";
}

TEST(bars, are_as_long_as_their_values) {
  const std::vector<text_bar> bars{{"random", 8, "8 ms"}, {"laws", 3, "3 ms"}, {"none", 0, "0 ms"}, {"?", nan, "-"}};
  EXPECT_EQ(bars_text(bars, 8, ascii), "  random ######## 8 ms\n  laws   ### 3 ms\n  none   0 ms\n  ?      -\n");
  EXPECT_EQ(bars_text({{"a", 2, "2"}, {"b", 1.25, "1.25"}}, 2, blocks), "  a ██ 2\n  b █▎ 1.25\n");
  EXPECT_EQ(bars_text({}, 8, ascii), "");
  EXPECT_EQ(bars_text({{"a", 0, "0"}}, 8, blocks), "  a 0\n");
}

TEST(line, has_a_height_for_each_value) {
  const std::vector<double> falling{8, 6, 4, 2, 0};
  EXPECT_EQ(line_text(falling, 80, ascii), "#%+-_");
  EXPECT_EQ(line_text(falling, 80, blocks), "█▇▅▃▁");
  EXPECT_EQ(line_text({}, 80, ascii), "");
  EXPECT_EQ(line_text(std::vector<double>(3, 0.0), 80, ascii), "___");
  EXPECT_EQ(line_text(std::vector<double>{nan, 1}, 80, ascii), "_#");
}

TEST(line, joins_what_does_not_fit) {
  std::vector<double> values(1000, 1.0);
  values.back() = 1000;
  const std::string line = line_text(values, 10, ascii);
  EXPECT_EQ(line, "_________#");
}

}  // namespace
}  // namespace nearfork::tools

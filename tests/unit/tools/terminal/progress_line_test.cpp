#include "tools/terminal/progress_line.hpp"

#include <gtest/gtest.h>

#include <string>

namespace nearfork::tools {
namespace {

TEST(progress_line, is_cut_to_the_columns_of_the_terminal) {
  EXPECT_EQ(cut_to("heat under random", 17), "heat under random");
  EXPECT_EQ(cut_to("heat under random", 16), "heat under ra...");
  EXPECT_EQ(cut_to("heat", 3), "...");
  EXPECT_EQ(cut_to("heat", 0), "");
  const std::string umlauts = "\u00e4\u00f6\u00fc\u00df\u00e4\u00f6";
  EXPECT_EQ(cut_to(umlauts, 6), umlauts);
  EXPECT_EQ(cut_to(umlauts, 5), "\u00e4\u00f6...");
}

}  // namespace
}  // namespace nearfork::tools

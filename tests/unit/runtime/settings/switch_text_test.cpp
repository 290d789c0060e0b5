#include "runtime/settings/switch_text.hpp"

#include <gtest/gtest.h>

namespace nearfork {
namespace {

TEST(parse_switch, knows_eight_words) {
  for (const char* text : {"on", "yes", "true", "1"}) EXPECT_EQ(parse_switch(text), true) << text;
  for (const char* text : {"off", "no", "false", "0"}) EXPECT_EQ(parse_switch(text), false) << text;
  for (const char* text : {"", "ON", "2", "onn", "enabled"}) EXPECT_EQ(parse_switch(text), std::nullopt) << text;
}

}  // namespace
}  // namespace nearfork

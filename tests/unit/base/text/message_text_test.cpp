#include "base/text/message_text.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

namespace {

using namespace nearfork;

TEST(with_number, says_what_the_system_says_and_which_error_it_was) {
  EXPECT_EQ(with_number(EPERM), "Operation not permitted (errno " + std::to_string(EPERM) + ")");
}

TEST(quoted, cuts_what_is_long_and_shows_no_control_characters) {
  EXPECT_EQ(quoted("plain"), "\"plain\"");
  EXPECT_EQ(quoted("a\x1b[31m\n\x7f"), "\"a?[31m??\"");
  EXPECT_EQ(quoted("12345", 5), "\"12345\"");
  EXPECT_EQ(quoted("123456", 5), "\"12345...\"");
}

}  // namespace

#include "runtime/option_text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <string>

namespace nearfork {
namespace {

constexpr number_range any{0, std::numeric_limits<std::uint64_t>::max()};

TEST(parse_number, reads_decimal_and_hexadecimal) {
  EXPECT_EQ(parse_number("0", any), 0U);
  EXPECT_EQ(parse_number("42", any), 42U);
  EXPECT_EQ(parse_number("0xff", any), 255U);
  EXPECT_EQ(parse_number("18446744073709551615", any), any.most);
  EXPECT_EQ(parse_number("0xffffffffffffffff", any), any.most);
}

TEST(parse_number, refuses_everything_else) {
  for (const char* text :
       {"", " 1", "1 ", "+1", "-1", "1.5", "1e3", "0x", "x1", "one", "18446744073709551616", "1,000", "0x1g", "--"})
    EXPECT_EQ(parse_number(text, any), std::nullopt) << text;
  EXPECT_EQ(parse_number(std::string("1\0", 2), any), std::nullopt);
}

TEST(parse_number, keeps_to_its_range) {
  EXPECT_EQ(parse_number("3", {3, 5}), 3U);
  EXPECT_EQ(parse_number("5", {3, 5}), 5U);
  EXPECT_EQ(parse_number("2", {3, 5}), std::nullopt);
  EXPECT_EQ(parse_number("6", {3, 5}), std::nullopt);
}

TEST(parse_size, knows_K_and_M) {
  EXPECT_EQ(parse_size("100", any), 100U);
  EXPECT_EQ(parse_size("256K", any), 256U << 10);
  EXPECT_EQ(parse_size("256k", any), 256U << 10);
  EXPECT_EQ(parse_size("2M", any), 2U << 20);
  for (const char* text : {"", "K", "1G", "1KB", "1 K", "K1", "1KK", "1.5M"})
    EXPECT_EQ(parse_size(text, any), std::nullopt) << text;
}

TEST(parse_size, refuses_what_does_not_fit_into_a_number) {
  EXPECT_EQ(parse_size("18446744073709551615K", any), std::nullopt);
  EXPECT_EQ(parse_size("18014398509481983K", any), 18014398509481983U << 10);
  EXPECT_EQ(parse_size("18014398509481984K", any), std::nullopt);
}

TEST(parse_switch, knows_eight_words) {
  for (const char* text : {"on", "yes", "true", "1"}) EXPECT_EQ(parse_switch(text), true) << text;
  for (const char* text : {"off", "no", "false", "0"}) EXPECT_EQ(parse_switch(text), false) << text;
  for (const char* text : {"", "ON", "2", "onn", "enabled"}) EXPECT_EQ(parse_switch(text), std::nullopt) << text;
}

RC_GTEST_PROP(size_text, is_read_back_as_the_same_size, (std::uint64_t seed)) {
  const std::uint64_t size_bytes = seed << *rc::gen::inRange(0, 30);
  RC_ASSERT(parse_size(size_text(size_bytes), any) == size_bytes);
}

TEST(edit_distance, by_hand) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("workers", "worker"), 1U);
  EXPECT_EQ(edit_distance("policy", "polciy"), 2U);
}

RC_GTEST_PROP(edit_distance, is_a_metric, (const std::string& a, const std::string& b, const std::string& c)) {
  RC_ASSERT((edit_distance(a, b) == 0) == (a == b));
  RC_ASSERT(edit_distance(a, b) == edit_distance(b, a));
  RC_ASSERT(edit_distance(a, c) <= edit_distance(a, b) + edit_distance(b, c));
}

}  // namespace
}  // namespace nearfork

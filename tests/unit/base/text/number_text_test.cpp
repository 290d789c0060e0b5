#include "base/text/number_text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace nearfork {
namespace {

TEST(parse_number, reads_decimal_and_hexadecimal) {
  EXPECT_EQ(parse_number("0", any_number), 0U);
  EXPECT_EQ(parse_number("42", any_number), 42U);
  EXPECT_EQ(parse_number("0xff", any_number), 255U);
  EXPECT_EQ(parse_number("18446744073709551615", any_number), any_number.most);
  EXPECT_EQ(parse_number("0xffffffffffffffff", any_number), any_number.most);
}

TEST(parse_number, refuses_everything_else) {
  for (const char* text : {"",
                           " 1",
                           "1 ",
                           "+1",
                           "-1",
                           "1.5",
                           "1e3",
                           "0x",
                           "x1",
                           "one",
                           "18446744073709551616",
                           "1,000",
                           "0x1g",
                           "--",
                           "010",
                           "00",
                           "-0",
                           "-18446744073709551615",
                           "0x-1",
                           "0X1",
                           "1,",
                           ",1",
                           "\t1",
                           "1\n",
                           "9999999999999999999999999999999999999999"})
    EXPECT_EQ(parse_number(text, any_number), std::nullopt) << text;
  EXPECT_EQ(parse_number(std::string("1\0", 2), any_number), std::nullopt);
}

TEST(parse_number, keeps_to_its_range) {
  EXPECT_EQ(parse_number("3", {3, 5}), 3U);
  EXPECT_EQ(parse_number("5", {3, 5}), 5U);
  EXPECT_EQ(parse_number("2", {3, 5}), std::nullopt);
  EXPECT_EQ(parse_number("6", {3, 5}), std::nullopt);
}

TEST(parse_size, knows_K_M_and_G) {
  EXPECT_EQ(parse_size("100", any_number), 100U);
  EXPECT_EQ(parse_size("256K", any_number), 256U << 10);
  EXPECT_EQ(parse_size("256k", any_number), 256U << 10);
  EXPECT_EQ(parse_size("2M", any_number), 2U << 20);
  EXPECT_EQ(parse_size("1G", any_number), 1U << 30);
  for (const char* text : {"", "K", "1T", "1KB", "1 K", "K1", "1KK", "1.5M", "010K", "-1K", "+1M", " 1K"})
    EXPECT_EQ(parse_size(text, any_number), std::nullopt) << text;
}

TEST(parse_size, refuses_what_does_not_fit_into_a_number) {
  EXPECT_EQ(parse_size("18446744073709551615K", any_number), std::nullopt);
  EXPECT_EQ(parse_size("18014398509481983K", any_number), 18014398509481983U << 10);
  EXPECT_EQ(parse_size("18014398509481984K", any_number), std::nullopt);
}

RC_GTEST_PROP(size_text, is_read_back_as_the_same_size, (std::uint64_t seed)) {
  const std::uint64_t size_bytes = seed << *rc::gen::inRange(0, 30);
  RC_ASSERT(parse_size(size_text(size_bytes), any_number) == size_bytes);
}

TEST(parse_decimal, reads_finite_numbers) {
  EXPECT_EQ(parse_decimal("0"), 0.0);
  EXPECT_EQ(parse_decimal("0.25"), 0.25);
  EXPECT_EQ(parse_decimal("2.50"), 2.5);
  EXPECT_EQ(parse_decimal("-3"), -3.0);
  EXPECT_EQ(parse_decimal("1e3"), 1000.0);
  EXPECT_EQ(parse_decimal("20"), 20.0);
}

TEST(parse_decimal, refuses_everything_else) {
  for (const char* text : {"", " 1", "1 ", "+1", "010", "00.5", "-01", "0x10", "inf", "-inf", "nan", "1e999", ".5", "-",
                           "1,5", "1 2", "1e", "--1", "-.5"})
    EXPECT_EQ(parse_decimal(text), std::nullopt) << text;
}

TEST(remark_on_number, is_made_on_what_looks_octal_alone) {
  for (const char* text : {"010", "00", "07K"}) EXPECT_NE(remark_on_number(text), "") << text;
  for (const char* text : {"", "0", "10", "0x10", "-1", "0.5", "many"}) EXPECT_EQ(remark_on_number(text), "") << text;
}

}  // namespace
}  // namespace nearfork

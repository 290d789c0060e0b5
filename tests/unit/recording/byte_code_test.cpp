#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nearfork/error.hpp>

#include "recording/byte_reader.hpp"
#include "recording/byte_writer.hpp"

namespace nearfork::recordings {
namespace {

std::uint64_t read_back(std::string_view bytes) {
  return byte_reader(bytes, "x").number("it", ~std::uint64_t{0});
}

RC_GTEST_PROP(byte_code, numbers_read_back, (std::uint64_t value, unsigned shift)) {
  byte_writer to;
  to.number(value >> shift % 64);
  RC_ASSERT(read_back(to.bytes()) == value >> shift % 64);
}

RC_GTEST_PROP(byte_code, zigzag_reads_back_and_keeps_small_differences_small, (std::int32_t difference)) {
  const auto wrapped = static_cast<std::uint64_t>(std::int64_t{difference});
  RC_ASSERT(from_zigzag(zigzag(wrapped)) == wrapped);
  RC_ASSERT(zigzag(wrapped) <= 2 * static_cast<std::uint64_t>(std::abs(std::int64_t{difference})));
}

TEST(byte_code, has_the_largest_number_in_ten_bytes_and_nothing_beyond) {
  byte_writer to;
  to.number(~std::uint64_t{0});
  EXPECT_EQ(to.bytes().size(), 10U);
  EXPECT_EQ(read_back(to.bytes()), ~std::uint64_t{0});
  std::string beyond(to.bytes());
  beyond.back() = 2;
  EXPECT_THROW((void)read_back(beyond), error);
  beyond.back() = static_cast<char>(0x81);
  EXPECT_THROW((void)read_back(beyond), error);
}

TEST(byte_code, has_one_code_for_one_number) {
  EXPECT_EQ(read_back(std::string_view("\0", 1)), 0U);
  EXPECT_THROW((void)read_back(std::string_view("\x80\0", 2)), error);
  EXPECT_THROW((void)read_back("\x80"), error) << "truncated";
}

}  // namespace
}  // namespace nearfork::recordings

// parallel_find over numbers, which are compared many at a time.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <nearfork/nearfork.hpp>

namespace {

template <class Number>
void finds_numbers_everywhere() {
  for (const std::size_t length : {1UL, 31UL, 32UL, 64UL, 65UL, 200UL, 5000UL}) {
    std::vector<Number> numbers(length + 1, Number{1});
    const auto first = numbers.begin() + 1;  // in the middle of a vector
    EXPECT_EQ(nearfork::parallel_find(first, numbers.end(), Number{2}), numbers.end());
    for (std::size_t at = 0; at < length; at += length / 60 + 1) {
      first[static_cast<std::ptrdiff_t>(at)] = Number{2};
      numbers.back() = Number{2};
      EXPECT_EQ(nearfork::parallel_find(first, numbers.end(), Number{2}) - first, static_cast<std::ptrdiff_t>(at));
      first[static_cast<std::ptrdiff_t>(at)] = Number{1};
    }
  }
}

TEST(parallel_find, finds_numbers_of_any_kind) {
  finds_numbers_everywhere<std::int8_t>();
  finds_numbers_everywhere<std::uint16_t>();
  finds_numbers_everywhere<int>();
  finds_numbers_everywhere<std::uint64_t>();
  finds_numbers_everywhere<float>();
  finds_numbers_everywhere<double>();
  finds_numbers_everywhere<long double>();
}

TEST(parallel_find, compares_as_the_language_does) {
  std::vector<double> numbers(10'000, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(nearfork::parallel_find(numbers, numbers[0]), numbers.end());
  numbers[9'000] = 0.0;
  EXPECT_EQ(nearfork::parallel_find(numbers, -0.0) - numbers.begin(), 9'000);
  numbers[100] = 3;
  EXPECT_EQ(nearfork::parallel_find(numbers, 3) - numbers.begin(), 100);
  const std::vector<std::uint8_t> bytes(10'000, 44);
  EXPECT_EQ(nearfork::parallel_find(bytes, 300), bytes.end());
}

}  // namespace

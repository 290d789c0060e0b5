// What is remembered of loops by their code.
#include "runtime/trials/code_table.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace nearfork {
namespace {

using numbers = code_table<std::uint64_t>;
constexpr std::uintptr_t code = 0x4000;

TEST(code_table, remembers_loops_of_one_body_and_about_as_many_indices) {
  numbers all;
  EXPECT_EQ(all.find(code, 1000), nullptr);
  all.of(code, 1000) = 7;
  EXPECT_EQ(all.of(code, 513), 7U) << "about as many indices";
  EXPECT_EQ(all.of(code, 100), 0U);
  EXPECT_EQ(all.of(code + 16, 1000), 0U);
  ASSERT_NE(all.find(code, 1000), nullptr);
  EXPECT_EQ(*all.find(code, 1000), 7U);
}

/// As programs have them: each body has code of its own, and comes with some lengths.
TEST(code_table, remembers_two_thousand_loops) {
  numbers all;
  const auto for_each_loop = [](const auto& act) {
    std::uint64_t number = 0;
    for (std::uintptr_t body = 0; body < 500; ++body)
      for (const std::size_t count : {3U, 30U, 300U, 3000U}) act(code + 48 * body, count, ++number);
  };
  for_each_loop([&](std::uintptr_t body, std::size_t count, std::uint64_t number) { all.of(body, count) = number; });
  std::size_t known = 0;
  for_each_loop([&](std::uintptr_t body, std::size_t count, std::uint64_t number) {
    const std::uint64_t* const found = all.find(body, count);
    if (found == nullptr) return;
    EXPECT_EQ(*found, number);
    ++known;
  });
  EXPECT_EQ(known, 2000U);
  std::size_t visited = 0;
  std::uint64_t sum = 0;
  all.for_each([&](std::uint64_t number) {
    ++visited;
    sum += number;
  });
  EXPECT_EQ(visited, 2000U);
  EXPECT_EQ(sum, 2000U * 2001U / 2);
}

TEST(code_table, forgets_some_once_there_are_too_many) {
  numbers all;
  std::uint64_t number = 0;
  for (std::uintptr_t body = 0; body < 4 * numbers::most_places; ++body) {
    all.of(code + 16 * body, 1) = ++number;
    ASSERT_EQ(*all.find(code + 16 * body, 1), number);
  }
  std::size_t known = 0;
  all.for_each([&](std::uint64_t) { ++known; });
  EXPECT_LE(known, numbers::most_places);
  EXPECT_GT(known, numbers::most_places / 2);
}

}  // namespace
}  // namespace nearfork

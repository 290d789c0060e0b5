#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <nearfork/detail/short_loop.hpp>

namespace nearfork::detail {
namespace {

/// The pieces of a range whose bodies stay as quick as they are.
std::vector<std::size_t> pieces_of(std::size_t count, std::size_t quick, std::uint64_t age_of_loop) {
  std::vector<std::size_t> all;
  for (std::size_t left = count; left != 0; left -= all.back()) all.push_back(next_piece(left, quick, age_of_loop));
  return all;
}

constexpr std::uint64_t young = 0;
constexpr std::uint64_t old = 9 * look_up_ticks;

TEST(next_piece, of_a_young_loop_leaves_no_short_rest) {
  EXPECT_EQ(pieces_of(1, 100, young), (std::vector<std::size_t>{1}));
  EXPECT_EQ(pieces_of(150, 100, young), (std::vector<std::size_t>{150}));
  EXPECT_EQ(pieces_of(151, 100, young), (std::vector<std::size_t>{76, 75}));
  EXPECT_EQ(pieces_of(451, 100, young), (std::vector<std::size_t>{100, 100, 100, 76, 75}));
}

TEST(next_piece, of_an_old_loop_becomes_smaller_towards_the_end) {
  EXPECT_EQ(pieces_of(1, 100, old), (std::vector<std::size_t>{1}));
  EXPECT_EQ(pieces_of(150, 100, old), (std::vector<std::size_t>{75, 37, 32, 6}));
  EXPECT_EQ(pieces_of(500, 100, old), (std::vector<std::size_t>{100, 100, 100, 100, 50, 32, 18}));
  EXPECT_EQ(pieces_of(40, 1, old), std::vector<std::size_t>(40, 1));
}

}  // namespace
}  // namespace nearfork::detail

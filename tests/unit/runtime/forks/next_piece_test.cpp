#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nearfork/cancellation.hpp>
#include <nearfork/detail/cancel_scope.hpp>
#include <nearfork/detail/short_loop.hpp>
#include <nearfork/runtime.hpp>

#include "tests/runtime_settings.hpp"

namespace nearfork::detail {
namespace {

/// The pieces of a range whose bodies stay as quick as they are.
std::vector<std::size_t> pieces_of(std::size_t count, std::size_t quick, std::uint64_t age_of_loop) {
  std::vector<std::size_t> all;
  for (std::size_t left = count; left != 0; left -= all.back()) all.push_back(next_piece(left, quick, age_of_loop));
  return all;
}

constexpr std::uint64_t young = 0;
constexpr std::uint64_t old = 3 * look_up_ticks;

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

/// The batches of a fold of `count` bodies, if each subtree has taken `ticks`.
std::vector<std::size_t> batches_of(std::size_t count, std::uint64_t ticks) {
  loop_scope loop{cancellation_token()};
  loop.limit_batch(count / 8, count);
  for (int i = 0; i < 20; ++i) loop.note_subtree(std::max<std::size_t>(1, loop.batch()), ticks);
  std::vector<std::size_t> all;
  const auto cut = [&](const auto& self, std::size_t lo, std::size_t hi) -> void {
    if (loop.is_batch(lo, hi)) return all.push_back(hi - lo);
    self(self, lo, lo + (hi - lo) / 2);
    self(self, lo + (hi - lo) / 2, hi);
  };
  cut(cut, 0, count);
  return all;
}

TEST(batches, of_a_fold_that_lasts_become_smaller_towards_the_end) {
  runtime one(test::with_workers(1));
  one.run([] {
    EXPECT_EQ(batches_of(4096, look_up_ticks / 3),
              (std::vector<std::size_t>{512, 512, 512, 512, 512, 512, 512, 256, 128, 64, 32, 32}));
    EXPECT_EQ(batches_of(4096, look_up_ticks / 17), std::vector<std::size_t>(8, 512));
  });
}

}  // namespace
}  // namespace nearfork::detail

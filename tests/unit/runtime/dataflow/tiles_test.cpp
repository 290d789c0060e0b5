// Tiles of matrices: who waits for whom, and in how many cells it is known.
#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <vector>

#include "tests/unit/runtime/dataflow/dependence_programs.hpp"

namespace nearfork {
namespace {

using dependence_programs::dependences_of;
using dependence_programs::planned;
using dependence_programs::run_programs;
using dependence_programs::use;
using dependence_programs::web_under_test;

TEST(tiles, of_one_matrix_keep_their_order) {
  run_programs(0, 150, 150, 200, {13}, true);
  run_programs(1'000, 150, 150, 200, {16}, true);
}
TEST(tiles, keep_it_where_rows_of_several_lengths_are_seen) {
  run_programs(2'000, 150, 150, 200, {12, 5, 30}, true);
  run_programs(3'000, 150, 250, 200, {7, 14, 28, 3}, true);
}
TEST(tiles, keep_it_where_what_is_over_is_dropped_now_and_then) {
  run_programs(4'000, 10, 4'000, 4'000, {50, 20});
}

TEST(tiles, keep_it_where_long_ranges_are_read_in_blocks) {
  run_programs(5'000, 40, 500, 1'000, {20});
  run_programs(6'000, 40, 900, 1'000, {60, 11});
}

/// Two matrices in turn, the second one behind the first: a task reads a block of one with a border of its neighbours,
/// and writes that block of the other one.
struct stencil {
  std::size_t blocks;
  std::size_t side;  // of a block
  std::size_t row = blocks * side + 2;
  std::size_t second = row * row + 3;

  [[nodiscard]] std::vector<planned> program(std::size_t iterations) const {
    std::vector<planned> made;
    for (std::size_t i = 0; i < iterations; ++i)
      for (std::size_t down = 0; down < blocks; ++down)
        for (std::size_t right = 0; right < blocks; ++right) {
          const std::size_t corner = down * side * row + right * side;
          const std::size_t from = i % 2 == 0 ? 0 : second;
          made.push_back({.id = made.size(),
                          .uses = {{access_kind::read, from + corner, side + 2, side + 2, row},
                                   {access_kind::write, second - from + corner + row + 1, side, side, row}}});
        }
    return made;
  }
};

std::size_t cells_of(const std::vector<planned>& program) {
  web_under_test tested;
  for (const planned& each : program) tested.add(each);
  const std::size_t cells = tested.web.cells();
  for (tested.begin_ready(); !tested.running.empty(); tested.begin_ready()) tested.end(tested.running.size() - 1);
  return cells;
}

TEST(tiles, with_borders_take_as_many_cells_whatever_their_rows) {
  const std::size_t few = cells_of(stencil{.blocks = 8, .side = 8}.program(4));
  const std::size_t many = cells_of(stencil{.blocks = 8, .side = 64}.program(4));
  EXPECT_EQ(few, many);
  EXPECT_LE(few, 15 * 2 * 8 * 8U) << "9 parts of each block, and what cuts it where the other matrix has its rows";
}

TEST(tiles, with_borders_wait_for_their_neighbours_alone) {
  const stencil of{.blocks = 6, .side = 10};
  std::mt19937 random(1);
  const auto program = of.program(4);
  dependence_programs::program_run(program, random, true).run(3);
}

TEST(tiles, of_bands_that_nobody_will_ask_for_are_forgotten) {
  web_under_test tested;
  std::vector<planned> program;
  constexpr std::size_t matrices = 2'000;
  for (std::size_t i = 0; i < matrices; ++i)
    program.push_back({.id = i, .uses = {{access_kind::write, i * 1'000, 10, 10, 50}}});
  for (const planned& each : program) {
    tested.add(each);
    tested.begin_ready();
    tested.end(0);
    ASSERT_LE(tested.web.bands(), 1'100U);
  }
  tested.web.forget_all();
  EXPECT_EQ(tested.web.bands(), 0U);
}

TEST(tiles, of_nested_tasks_must_lie_in_those_of_their_parent) {
  constexpr std::size_t row = 30;
  const planned parent{.id = 0, .uses = {{access_kind::write, 5 * row + 5, 10, 10, row}}, .is_parent = true};
  web_under_test tested;
  tested.add(parent);
  tested.begin_ready();
  dataflow_task& around = *tested.running.front();
  const auto is_named = [&](std::size_t down, std::size_t right, std::size_t high, std::size_t wide) {
    return tested.is_named({access_kind::write, down * row + right, wide, high, row}, around);
  };
  EXPECT_TRUE(is_named(5, 5, 10, 10));
  EXPECT_TRUE(is_named(6, 7, 3, 8));
  EXPECT_TRUE(is_named(14, 5, 1, 10));
  EXPECT_FALSE(is_named(6, 7, 3, 9)) << "a column behind it";
  EXPECT_FALSE(is_named(6, 4, 3, 2)) << "a column before it";
  EXPECT_FALSE(is_named(5, 5, 11, 1)) << "a row below it";
  EXPECT_FALSE(is_named(4, 14, 1, 1)) << "a row above it";
  EXPECT_FALSE(is_named(6, 5, 1, row)) << "from row to row";
  EXPECT_FALSE(is_named(6, 5, 1, 3 * row)) << "several rows";
  tested.end(0);
  tested.begin_ready();
}

TEST(tiles, of_nested_tasks_do_not_go_over_the_end_of_a_row) {
  constexpr std::size_t row = 30;
  const planned left{.id = 0, .uses = {{access_kind::write, 0, 5, 10, row}}};
  const planned right{.id = 1, .uses = {{access_kind::write, 20, 10, 10, row}}, .is_parent = true};
  web_under_test tested;
  tested.add(left);
  tested.add(right);
  tested.begin_ready();
  EXPECT_TRUE(tested.is_named({access_kind::write, row + 20, 10}, *tested.running.back()));
  EXPECT_FALSE(tested.is_named({access_kind::write, row + 20, 11}, *tested.running.back()));
  for (; !tested.running.empty(); tested.begin_ready()) tested.end(0);
}

/// Readers of many cells are known by blocks alone where they read more than those before them.
class tiles_behind_blocks : public testing::Test {
 protected:
  /// Elements first, one by one, then readers of all, which are too many to look at each; at last a longer range.
  void read(std::size_t elements, std::size_t longer, std::size_t pieces, std::size_t row) {
    for (std::size_t i = 0; i < elements; ++i) add({access_kind::write, i, 1, pieces, row});
    for (std::size_t i = 0; i < 40; ++i) add({access_kind::read, 0, elements, pieces, row});
    add({access_kind::read, 0, longer, pieces, row});
  }
  void add(const use& one) { program_.push_back({.id = program_.size(), .uses = {one}}); }
  void run() {
    std::mt19937 random(1);
    dependence_programs::program_run(program_, random).run(0);
  }

 private:
  std::vector<planned> program_;
};

TEST_F(tiles_behind_blocks, wait_for_readers_where_no_cell_is) {
  read(1'000, 1'020, 1, 0);
  add({access_kind::write, 1'001, 2, 2, 5});
  run();
}
TEST_F(tiles_behind_blocks, wait_for_them_where_a_band_is_cut) {
  read(300, 500, 2, 600);
  add({access_kind::write, 600 + 400, 10});
  run();
}

/// A block, and then a reader of the whole matrix, and so on.
std::vector<planned> blocks_and_whole(std::size_t tasks) {
  std::size_t blocks = 1;
  while (2 * blocks * blocks < tasks) ++blocks;
  const std::size_t side = 4;
  const std::size_t row = blocks * side;
  std::vector<planned> made;
  for (std::size_t i = 0; i < tasks; ++i) {
    const std::size_t block = i / 2 % (blocks * blocks);
    made.push_back({.id = i, .uses = {{access_kind::read, 0, row * row}}});
    if (i % 2 == 0)
      made.back().uses = {{access_kind::write, block / blocks * side * row + block % blocks * side, side, side, row}};
  }
  return made;
}

TEST(tiles, in_turn_with_readers_of_the_whole_make_few_dependences) {
  const std::size_t few = dependences_of(blocks_and_whole(1'000));
  const std::size_t many = dependences_of(blocks_and_whole(4'000));
  EXPECT_LE(many, 10 * few) << "a row of blocks is one read: 8 times as many; a square would be 16 times as many";
}

TEST(tiles, of_rows_that_were_written_one_by_one_are_known_by_rows) {
  std::vector<planned> program;
  for (std::size_t i = 0; i < 64; ++i) program.push_back({.id = i, .uses = {{access_kind::write, i * 64, 64}}});
  for (std::size_t i = 0; i < 4; ++i)
    program.push_back({.id = 64 + i, .uses = {{access_kind::write, i * 16 * 64, 16, 16, 64}}});
  web_under_test tested;
  for (const planned& each : program) tested.add(each);
  EXPECT_EQ(tested.web.bands(), 0U);
  while (tested.begin_ready(), !tested.running.empty()) tested.end(0);
}

}  // namespace
}  // namespace nearfork

// The grid programs' kernels and answers against values worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "workloads/conv/conv.hpp"
#include "workloads/ge/ge.hpp"
#include "workloads/grid/grid_program.hpp"
#include "workloads/heat/heat.hpp"
#include "workloads/nine_point/nine_point.hpp"
#include "workloads/six_point/six_point.hpp"
#include "workloads/sor/sor.hpp"
#include "workloads/twenty_five_point/twenty_five_point.hpp"

namespace nearfork::workloads {
namespace {

constexpr grid_extent five_by_five{5, 1, 5};

/// The result of one sweep over a grid that is zero except for a one in its middle.
std::vector<double> spread_from_middle(const grid_program& program, const grid_extent& extent) {
  std::vector<double> from(extent.cells(), 0.0);
  from[extent.cells() / 2] = 1;
  std::vector<double> to = from;
  const slab_range changed = program.changes(extent, 0);
  program.compute({from.data(), to.data(), extent}, changed.first, changed.last);
  return to;
}

TEST(grid_kernels, heat_spreads_from_a_hot_cell) {
  const auto to = spread_from_middle(heat_program(), five_by_five);
  EXPECT_DOUBLE_EQ(to[12], 1 - 4 * heat_flow);
  for (const std::size_t neighbour : {7U, 11U, 13U, 17U}) EXPECT_DOUBLE_EQ(to[neighbour], heat_flow);
  EXPECT_DOUBLE_EQ(to[6], 0);
}

TEST(grid_kernels, sor_touches_one_colour) {
  std::vector<double> grid(25, 1.0);
  grid[12] = 3;
  grid_sweep sweep{grid.data(), grid.data(), five_by_five};
  sor_program().compute(sweep, 1, 4);
  EXPECT_DOUBLE_EQ(grid[12], 3 + sor_factor * (1.0 - 3));
  EXPECT_DOUBLE_EQ(grid[11], 1);
  sweep.colour = 1;
  sor_program().compute(sweep, 1, 4);
  EXPECT_DOUBLE_EQ(grid[11], 1 + sor_factor * ((3 + grid[12]) / 4 - 1));
}

TEST(grid_kernels, nine_point_gives_edges_four_times_what_corners_get) {
  const auto to = spread_from_middle(nine_point_program(), five_by_five);
  EXPECT_DOUBLE_EQ(to[12], 1 - 20 * nine_point_flow);
  for (const std::size_t edge : {7U, 11U, 13U, 17U}) EXPECT_DOUBLE_EQ(to[edge], 4 * nine_point_flow);
  for (const std::size_t corner : {6U, 8U, 16U, 18U}) EXPECT_DOUBLE_EQ(to[corner], nine_point_flow);
  EXPECT_DOUBLE_EQ(std::accumulate(to.begin(), to.end(), 0.0), 1);
}

TEST(grid_kernels, conv_spreads_a_cell_as_its_filter_says) {
  const grid_extent extent{9, 1, 9};
  const auto to = spread_from_middle(conv_program(), extent);
  for (std::size_t row = 0; row < 9; ++row)
    for (std::size_t column = 0; column < 9; ++column) {
      const bool reached = row >= 2 && row <= 6 && column >= 2 && column <= 6;
      EXPECT_DOUBLE_EQ(to[row * 9 + column], reached ? conv_filter[row - 2][column - 2] : 0.0);
    }
  EXPECT_DOUBLE_EQ(conv_filter[2][2], 36.0 / 256);
  EXPECT_DOUBLE_EQ(conv_filter[0][1], 4.0 / 256);
  EXPECT_DOUBLE_EQ(std::accumulate(to.begin(), to.end(), 0.0), 1);
}

/// A cell that is not in the middle of its row, so that rows and columns cannot be confused.
TEST(grid_kernels, conv_reads_two_cells_in_each_direction) {
  const grid_extent extent{7, 1, 11};
  std::vector<double> from(extent.cells());
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<double>(i * i % 17);
  std::vector<double> to = from;
  conv_program().compute({from.data(), to.data(), extent}, 2, 5);
  double sum = 0;
  for (std::size_t row = 0; row < 5; ++row)
    for (std::size_t column = 0; column < 5; ++column)
      sum += conv_filter[row][column] * from[(row + 1) * 11 + column + 5];
  EXPECT_DOUBLE_EQ(to[3 * 11 + 7], sum);
}

TEST(grid_kernels, six_point_gives_a_sixth_to_each_neighbour) {
  const grid_extent extent{5, 7, 9};
  const auto to = spread_from_middle(six_point_program(), extent);
  const std::size_t middle = extent.cells() / 2;
  for (const std::size_t far : {std::size_t{1}, extent.columns, extent.slab_cells()}) {
    EXPECT_DOUBLE_EQ(to[middle - far], 1.0 / 6);
    EXPECT_DOUBLE_EQ(to[middle + far], 1.0 / 6);
  }
  EXPECT_DOUBLE_EQ(to[middle], 0);
  EXPECT_DOUBLE_EQ(std::accumulate(to.begin(), to.end(), 0.0), 1);
}

TEST(grid_kernels, twenty_five_point_reaches_four_cells_along_each_axis) {
  const grid_extent extent{17, 19, 21};
  const auto to = spread_from_middle(twenty_five_point_program(), extent);
  const std::size_t middle = extent.cells() / 2;
  EXPECT_DOUBLE_EQ(to[middle], 1 + star_flow * 3 * second_derivative[0]);
  for (const std::size_t axis : {std::size_t{1}, extent.columns, extent.slab_cells()})
    for (std::size_t far = 1; far <= star_reach; ++far) {
      EXPECT_DOUBLE_EQ(to[middle - far * axis], star_flow * second_derivative[far]);
      EXPECT_DOUBLE_EQ(to[middle + far * axis], star_flow * second_derivative[far]);
    }
  EXPECT_EQ(std::ranges::count(to, 0.0), static_cast<std::ptrdiff_t>(extent.cells() - 25));
}

TEST(grid_kernels, twenty_five_point_factors_derive_twice) {
  const double step = 0.1;
  double derived = second_derivative[0] * std::sin(1.0);
  for (std::size_t far = 1; far <= star_reach; ++far) {
    const double distance = step * static_cast<double>(far);
    derived += second_derivative[far] * (std::sin(1 - distance) + std::sin(1 + distance));
  }
  EXPECT_NEAR(derived / (step * step), -std::sin(1.0), 1e-10);
}

TEST(grid_kernels, ge_eliminates_below_the_pivot_and_keeps_the_factors) {
  std::vector<double> matrix{2, 1, 1, 4, 3, 3, 8, 7, 9};
  grid_sweep sweep{matrix.data(), matrix.data(), {3, 1, 3}};
  ge_rows(sweep, 0, 3);
  EXPECT_EQ(matrix, (std::vector<double>{2, 1, 1, 2, 1, 1, 4, 3, 5}));
  sweep.iteration = 1;
  ge_rows(sweep, 1, 3);
  EXPECT_EQ(matrix, (std::vector<double>{2, 1, 1, 2, 1, 1, 4, 3, 2}));
  sweep.iteration = 2;
  ge_rows(sweep, 1, 3);
  EXPECT_EQ(matrix.back(), 2) << "nothing is left to do";
}

TEST(grid_programs, have_the_same_first_values_whichever_parts_are_filled_first) {
  for (const auto program : {heat_program, ge_program}) {
    const grid_extent extent{9, 1, 9};
    std::vector<double> whole(extent.cells());
    std::vector<double> parts(extent.cells());
    program().fill(extent, 3, {0, 9}, whole.data());
    for (const slab_range part : {slab_range{5, 9}, slab_range{0, 1}, slab_range{1, 5}})
      program().fill(extent, 3, part, parts.data());
    EXPECT_EQ(whole, parts);
    program().fill(extent, 4, {0, 9}, parts.data());
    EXPECT_NE(whole, parts) << "another seed";
  }
}

/// The factors' triangles, multiplied, are the matrix.
TEST(grid_answers, ge_factors_multiply_to_the_matrix) {
  const grid_program& ge = ge_program();
  const grid_extent extent{9, 1, 9};
  std::vector<double> matrix(extent.cells());
  ge.fill(extent, 3, {0, extent.slabs}, matrix.data());
  const auto factors = ge.answer(extent, 8, matrix);
  for (std::size_t row = 0; row < 9; ++row)
    for (std::size_t column = 0; column < 9; ++column) {
      double product = 0;
      for (std::size_t k = 0; k <= std::min(row, column); ++k)
        product += (k == row ? 1 : factors[row * 9 + k]) * factors[k * 9 + column];
      EXPECT_NEAR(product, matrix[row * 9 + column], 1e-12);
    }
}

TEST(grid_answers, of_stencils_keep_what_is_the_same_everywhere) {
  for (const auto program :
       {heat_program, sor_program, conv_program, nine_point_program, six_point_program, twenty_five_point_program}) {
    const auto& sizes = program().sizes;
    const grid_extent extent = sizes.from(sizes.rules().named_values("test")).extent();
    const auto answer = program().answer(extent, 3, std::vector<double>(extent.cells(), 7.0));
    for (const double cell : answer) ASSERT_NEAR(cell, 7, 1e-12) << program().name;
  }
}

TEST(grid_programs, change_no_slab_that_the_first_iteration_does_not) {
  const grid_extent extent{40, 12, 12};
  for (const auto program : {heat_program, sor_program, ge_program, conv_program, nine_point_program, six_point_program,
                             twenty_five_point_program})
    for (const std::uint64_t iteration : {1U, 7U, 39U, 40U, 1000U}) {
      const slab_range first = program().changes(extent, 0);
      const slab_range now = program().changes(extent, iteration);
      EXPECT_GE(now.first, first.first);
      EXPECT_EQ(now.last, first.last);
      EXPECT_LE(now.first, now.last);
    }
}

TEST(grid_workloads, have_the_papers_names_regular_and_irregular) {
  std::vector<std::string> names;
  for (const workload& one : grid_workloads()) names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string>{"heat", "heat-ir", "sor", "sor-ir", "ge", "ge-ir", "conv", "conv-ir", "9p",
                                             "9p-ir", "6p", "6p-ir", "25p", "25p-ir"}));
}

TEST(grid_workloads, have_the_papers_sizes) {
  const auto of = [](const char* name) {
    const size_rules& rules = find_workload(name).sizes;
    return size_text(rules, rules.named_values("laws"));
  };
  EXPECT_EQ(of("sor"), "rows=8096 columns=1024 iterations=200");
  EXPECT_EQ(of("ge"), "size=2048 iterations=2047");
  EXPECT_EQ(of("6p-ir"), "planes=8096 rows=64 columns=64 iterations=200");
}

}  // namespace
}  // namespace nearfork::workloads

// The grid programs' kernels and answers against values worked out by hand.
#include <gtest/gtest.h>

#include "workloads/grid/grid_program.hpp"
#include "workloads/heat/heat.hpp"
#include "workloads/sor/sor.hpp"

namespace nearfork::workloads {
namespace {

constexpr grid_extent five_by_five{5, 1, 5};

/// What one sweep makes of a grid that is zero but for a one in its middle.
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
  sor_rows(sweep, 1, 4);
  EXPECT_DOUBLE_EQ(grid[12], 3 + sor_factor * (1.0 - 3));
  EXPECT_DOUBLE_EQ(grid[11], 1);
  sweep.colour = 1;
  sor_rows(sweep, 1, 4);
  EXPECT_DOUBLE_EQ(grid[11], 1 + sor_factor * ((3 + grid[12]) / 4 - 1));
}

}  // namespace
}  // namespace nearfork::workloads

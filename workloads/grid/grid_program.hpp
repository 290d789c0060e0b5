// What tells one grid program from another: heat, sor, ge, 9p, ...
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "workloads/grid/grid_sweep.hpp"
#include "workloads/grid/slab_tree.hpp"
#include "workloads/input_numbers.hpp"
#include "workloads/workload.hpp"

namespace nearfork::workloads {

struct grid_size {
  std::uint64_t slabs = 1;
  std::uint64_t rows = 1;     // of a slab
  std::uint64_t columns = 0;  // 0: as many as slabs
  std::uint64_t iterations = 1;

  [[nodiscard]] constexpr grid_extent extent() const noexcept { return {slabs, rows, columns == 0 ? slabs : columns}; }
};

/// Which cells an iteration reads and writes. two_buffers: all of one, all of the other, which then change places. in_place: one
/// sweep over the only buffer. red_black: two sweeps, each over the cells of one colour, which do not depend on each other.
enum class grid_order : std::uint8_t { two_buffers, in_place, red_black };

struct grid_program {
  std::string_view name;
  std::string_view description;
  grid_order order;
  size_table<grid_size> sizes;
  grid_kernel compute;
  /// The slabs that an iteration changes; none that the first does not.
  slab_range (*changes)(const grid_extent& extent, std::uint64_t iteration);
  void (*fill)(const grid_extent& extent, input_numbers& numbers, std::span<double> cells);
  /// The cells after all iterations, as a textbook has it: what the kernel computes is checked, too.
  std::vector<double> (*answer)(const grid_extent& extent, std::uint64_t iterations, std::vector<double> cells);
};

/// The program over a tree of that shape; irregular ones have "-ir" after their name. The program must outlive it.
[[nodiscard]] workload grid_workload(const grid_program& program, tree_shape shape);

/// Every grid program over both trees.
[[nodiscard]] const std::vector<workload>& grid_workloads();

}  // namespace nearfork::workloads

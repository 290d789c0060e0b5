// What distinguishes one grid program from another: heat, sor, ge, 9p, ...
#pragma once

#include <string_view>
#include <vector>

#include "workloads/grid/grid_sweep.hpp"
#include "workloads/grid/slab_tree.hpp"
#include "workloads/workload.hpp"

namespace nearfork::workloads {

struct grid_size {
  std::uint64_t slabs = 1;
  std::uint64_t rows = 1;     // per slab
  std::uint64_t columns = 0;  // 0: as many as there are slabs
  std::uint64_t iterations = 1;

  [[nodiscard]] constexpr grid_extent extent() const noexcept { return {slabs, rows, columns == 0 ? slabs : columns}; }
};

/// Which cells an iteration reads and writes. two_buffers: reads all cells of one buffer and writes all of the other;
/// then the buffers change places. in_place: one sweep over the only buffer. red_black: two sweeps, each over the cells
/// of one colour, which do not depend on each other.
enum class grid_order : std::uint8_t { two_buffers, in_place, red_black };

struct grid_program {
  std::string_view name;
  std::string_view description;
  grid_order order;
  size_table<grid_size> sizes;
  grid_kernel compute;
  /// The slabs that an iteration changes. Later iterations change no slabs that the first one does not change.
  slab_range (*changes)(const grid_extent& extent, std::uint64_t iteration);
  /// Writes the first values of some slabs. `cells` are those of the whole grid.
  void (*fill)(const grid_extent& extent, std::uint64_t seed, slab_range slabs, double* cells);
  /// The cells after all iterations, by a textbook formula: so what the kernel computes is checked, too.
  std::vector<double> (*answer)(const grid_extent& extent, std::uint64_t iterations, std::vector<double> cells);
};

/// The program over a tree of this shape. Irregular ones have "-ir" after their name. The program must outlive the
/// workload.
[[nodiscard]] workload grid_workload(const grid_program& program, tree_shape shape);

/// All grid programs over both trees.
[[nodiscard]] const std::vector<workload>& grid_workloads();

}  // namespace nearfork::workloads

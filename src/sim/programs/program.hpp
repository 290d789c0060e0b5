// A region that recurs, as the simulator runs it: a task graph per iteration.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/programs/task_graph.hpp"

namespace nearfork::sim {

struct program {
  std::string name;
  std::uint64_t input_bytes = 0;      // what policies are told; 0: nothing
  std::vector<task_graph> graphs;     // at least one
  std::vector<std::uint32_t> course;  // graph of each iteration, again from the start after the last

  [[nodiscard]] const task_graph& graph_of(std::size_t iteration) const {
    return graphs.at(course.at(iteration % course.size()));
  }
  [[nodiscard]] std::uint64_t data_bytes() const noexcept {
    std::uint64_t most = 0;
    for (const task_graph& one : graphs) most = std::max(most, one.data_bytes());
    return most;
  }
};

/// A grid of rows in two buffers, of which each iteration reads one and writes the other, as the papers' heat does.
struct grid_shape {
  std::uint64_t rows = 1024;
  std::uint64_t row_bytes = 8192;
  std::uint64_t leaf_rows = 16;  // tasks of at most that many rows do not fork
  std::uint64_t halo_rows = 1;   // read beyond both ends
  std::uint64_t compute_ns_per_line =
      10;  // of those written; more than half of it hidden behind memory on most machines
};

/// Rows are halved down to the leaves.
[[nodiscard]] program regular_grid(const grid_shape& shape);

/// Forks into two to four unequal parts, one of them at most four times another: the papers' "-ir" programs.
[[nodiscard]] program irregular_grid(const grid_shape& shape, std::uint64_t seed);

/// How large random things are, at most.
struct random_extent {
  std::uint32_t tasks = 60;
  std::uint64_t compute_ns = 2000;
  std::uint64_t data_bytes = 1 << 16;
  std::uint32_t accesses_of_stretch = 3;
};

/// Any tree, any work, several forks of one task included. A fifth of the programs change their tree at some iteration.
[[nodiscard]] program random_program(std::uint64_t seed, const random_extent& extent = {});

}  // namespace nearfork::sim

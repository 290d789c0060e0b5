// A recurring region as the simulator runs it: a task graph per iteration.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/programs/task_graph.hpp"

namespace nearfork::sim {

struct program {
  std::string name;
  std::uint64_t input_bytes = 0;      // told to policies; 0: nothing
  std::vector<task_graph> graphs;     // at least one
  std::vector<std::uint32_t> course;  // the graph of each iteration; repeats from the start

  [[nodiscard]] const task_graph& graph_of(std::size_t iteration) const {
    return graphs.at(course.at(iteration % course.size()));
  }
  [[nodiscard]] std::uint64_t data_bytes() const noexcept {
    std::uint64_t most = 0;
    for (const task_graph& one : graphs) most = std::max(most, one.data_bytes());
    return most;
  }
};

/// A grid of rows in two buffers. Each iteration reads one and writes the other, as the papers' heat does.
struct grid_shape {
  std::uint64_t rows = 1024;
  std::uint64_t row_bytes = 8192;
  std::uint64_t leaf_rows = 16;            // tasks of at most this many rows do not fork
  std::uint64_t halo_rows = 1;             // rows read beyond both ends
  std::uint64_t compute_ns_per_line = 10;  // per written line; on most machines more than half hides behind memory
};

/// Halves the rows down to the leaves.
[[nodiscard]] program regular_grid(const grid_shape& shape);

/// Forks into two to four unequal parts; a part is at most four times another. The papers' "-ir" programs.
[[nodiscard]] program irregular_grid(const grid_shape& shape, std::uint64_t seed);

/// Upper bounds of a random program.
struct random_extent {
  std::uint32_t tasks = 60;
  std::uint64_t compute_ns = 2000;
  std::uint64_t data_bytes = 1 << 16;
  std::uint32_t accesses_of_stretch = 3;
};

/// Any tree and any work; tasks may fork several times. A fifth of the programs change their tree at some iteration.
[[nodiscard]] program random_program(std::uint64_t seed, const random_extent& extent = {});

}  // namespace nearfork::sim

// A recurring region as the simulator runs it: a task graph per iteration.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/programs/page_placing.hpp"
#include "sim/programs/task_graph.hpp"

namespace nearfork::sim {

/// Data that a program allocates as one.
struct data_array {
  std::uint64_t begin_byte = 0;
  std::uint64_t size_bytes = 0;
  placing_rule how = placing_rule::first_write;  // a rule without nodes; program::placing comes first
  friend constexpr bool operator==(data_array, data_array) = default;
};

/// Where the pages of arrays are before anything runs.
enum class page_rule : std::uint8_t {
  first_touch,  // nowhere yet
  in_parts,     // each domain has an equal part of each array
  interleaved,  // they take turns
};

/// Iterations are timed; what comes before them is not. The setup's phases run once each, in their order, as the first
/// iterations of regions of their own, under the policy of the program's region. A page belongs to the node of the
/// worker that writes it first, unless its placing says otherwise. If a program has no setup its input comes from
/// nowhere, and its first reads place pages, too.
struct program {
  std::string name;
  std::uint64_t input_bytes = 0;      // told to policies; 0: nothing
  std::vector<task_graph> graphs;     // at least one
  std::vector<std::uint32_t> course;  // the graph of each iteration; repeats from the start
  std::vector<data_array> arrays{};   // all data, as far as it is known what belongs together
  std::vector<task_graph> setup{};
  std::vector<std::string> setup_regions{};  // the names of the setup's phases, if they have names
  /// Also data that the setup has not written come from somewhere: reads place pages, as without a setup.
  bool input_is_given = false;
  page_rule pages = page_rule::first_touch;
  page_placing placing{};  // of pages that are nowhere, when they are written; first_write: as each array says

  [[nodiscard]] const task_graph& graph_of(std::size_t iteration) const {
    return graphs.at(course.at(iteration % course.size()));
  }
  [[nodiscard]] std::uint64_t data_bytes() const noexcept {
    std::uint64_t most = 0;
    for (const task_graph& one : graphs) most = std::max(most, one.data_bytes());
    for (const task_graph& one : setup) most = std::max(most, one.data_bytes());
    for (const data_array& one : arrays) most = std::max(most, one.begin_byte + one.size_bytes);
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

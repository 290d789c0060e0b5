// What the workloads do, as programs for the simulator: the same trees, bytes, and order of accesses line by line. The
// time of computation comes from counting operations. Nothing of it is measured.
//
// Simpler than in the workloads: arrays begin at pages, one after the other; after MIT Cilk's setup each row is an
// allocation of its own, and those of a row follow each other in memory, whichever worker made them. A line that a leaf
// uses several times while it surely stays in the first cache counts once (sorting below mergesort's leaf, products
// below matmul's).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/programs/program.hpp"
#include "sim/programs/setup.hpp"
#include "workloads/workload.hpp"

namespace nearfork::tools {

/// The speed of the core that a program's times are for.
struct computing_speed {
  double ns_per_operation = 0.2;  // a load, a store, an addition, a comparison: two per cycle at 2.5 GHz
  double vector_work = 1;         // factor for loops that compilers turn into vector instructions
  double ns_per_wrong_guess = 6;  // a mispredicted branch
};

struct simulation_input {
  workloads::size_values size;
  std::uint64_t seed = 1;  // of the workload's input, as for the workload itself
  computing_speed speed{};
  std::uint64_t iterations = 1;  // number of graphs, if each iteration has its own
  sim::setup_kind setup = sim::setup_kind::none;
  std::shared_ptr<const workloads::edge_list> graph{};  // as instance_input::graph
};

/// What the workloads do on real threads: the thread that makes an instance writes all its arrays.
inline constexpr sim::setup_kind setup_of_workloads = sim::setup_kind::serial;

/// In the order of `nearfork bench`. Workloads without a simulated counterpart are left out.
[[nodiscard]] std::vector<std::string_view> simulated_workloads();

/// True if the workload is simulated with that setup.
[[nodiscard]] bool has_setup(const workloads::workload& what, sim::setup_kind how);

/// The iterations of the workload's size; 1 for workloads that do not iterate.
[[nodiscard]] std::uint64_t iterations_of(const workloads::workload& what, const workloads::size_values& size);

/// Throws: nearfork::error if the workload is not simulated (the message lists those that are), if it has too many
/// tasks, or if it has no such setup: only grid and graph programs have one that needs
/// tasks, and only grids that of MIT Cilk.
[[nodiscard]] sim::program simulated_program(const workloads::workload& what, const simulation_input& input);

}  // namespace nearfork::tools

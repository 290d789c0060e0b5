// What the workloads do, as programs for the simulator: the same trees, the same bytes, the same order of accesses line by
// line; and the time of computation by counting operations. Nothing of it is measured.
//
// What is simpler than in the workload: arrays start at pages' begins, one after the other; a line that a leaf goes through
// several times while it surely stays in the first cache counts once (sorting below mergesort's leaf, products below matmul's).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/programs/program.hpp"
#include "workloads/workload.hpp"

namespace nearfork::tools {

/// How fast the core computes that a program's times are said for.
struct computing_speed {
  double ns_per_operation = 0.2;  // a load, a store, an addition, a comparison: two in a cycle at 2.5 GHz
  double vector_work = 1;         // how many times more in loops that compilers make vector instructions of
  double ns_per_wrong_guess = 6;  // a branch that goes another way than the core guessed
};

struct simulation_input {
  workloads::size_values size;
  std::uint64_t seed = 1;  // of the workload's input, as for the workload itself
  computing_speed speed{};
  std::uint64_t iterations = 1;  // graphs that are wanted, where each iteration has one of its own
};

/// In the order in which `nearfork bench` lists them; workloads without a simulated counterpart are left out.
[[nodiscard]] std::vector<std::string_view> simulated_workloads();

/// The iterations that the workload's size has; 1 for those that do not iterate.
[[nodiscard]] std::uint64_t iterations_of(const workloads::workload& what, const workloads::size_values& size);

/// Throws nearfork::error: the workload is not simulated (and which are), or its tasks are too many.
[[nodiscard]] sim::program simulated_program(const workloads::workload& what, const simulation_input& input);

}  // namespace nearfork::tools

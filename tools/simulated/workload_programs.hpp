// The simulated workloads, each as a program, and what these programs share: time of operations, bytes of arrays,
// bounds. simulated_workload.hpp finds them by name.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/programs/graph_sketch.hpp"
#include "tools/simulated/loop_kind.hpp"
#include "tools/simulated/simulated_workload.hpp"
#include "workloads/graphs/graph_program.hpp"
#include "workloads/grid/grid_program.hpp"

namespace nearfork::tools {

using sim::access_kind;
using sim::data_access;
using sim::graph_sketch;

/// The task graph of 16 million tasks takes about 3 GB.
inline constexpr std::size_t most_simulated_tasks = std::size_t{1} << 24;

/// Throws: nearfork::error if there are more tasks. Call it before they are made.
void check_tasks(std::string_view workload, double tasks);

/// Operations are loads, stores and arithmetic, as in the formulas. Compilers leave out some and add others.
[[nodiscard]] inline std::uint64_t time_of(double operations, const simulation_input& input,
                                           loop_kind of = loop_kind::scalar, double wrong_guesses = 0) {
  const computing_speed& speed = input.speed;
  const double each_ns = of == loop_kind::vector ? speed.ns_per_operation / speed.vector_work : speed.ns_per_operation;
  constexpr double most_ns = 4e18;  // fits 64 bits; the engine refuses it
  const double time_ns = operations * each_ns + wrong_guesses * speed.ns_per_wrong_guess;
  return static_cast<std::uint64_t>(std::llround(std::min(time_ns, most_ns)));
}

/// The bytes of an array that begins at a page and is followed by one that does.
[[nodiscard]] constexpr std::uint64_t whole_pages(std::uint64_t bytes) noexcept {
  constexpr std::uint64_t page = 4096;
  return (bytes + page - 1) / page * page;
}

/// A program whose iterations are all equal.
[[nodiscard]] sim::program program_of(std::string_view name, std::uint64_t input_bytes, sim::graph_sketch&& sketch,
                                      std::vector<sim::data_array> arrays = {});
/// Arrays of one size, each from a page on.
[[nodiscard]] std::vector<sim::data_array> arrays_of(std::size_t count, std::uint64_t each_bytes);

struct simulated_grid {
  const workloads::grid_program* program;
  workloads::tree_shape shape;
};
[[nodiscard]] std::optional<simulated_grid> find_simulated_grid(std::string_view name);
[[nodiscard]] sim::program simulate_grid(const simulated_grid& grid, const simulation_input& input);

/// Null if the program of that name is not a graph program.
[[nodiscard]] const workloads::graph_program* find_simulated_graph(std::string_view name);
[[nodiscard]] sim::program simulate_graph(const workloads::graph_program& program, const simulation_input& input);

[[nodiscard]] sim::program simulate_mergesort(const simulation_input& input);
[[nodiscard]] sim::program simulate_matmul(const simulation_input& input);
[[nodiscard]] sim::program simulate_fft(const simulation_input& input);
[[nodiscard]] sim::program simulate_mandelbrot(const simulation_input& input);
[[nodiscard]] sim::program simulate_nqueens(const simulation_input& input);
[[nodiscard]] sim::program simulate_fib(const simulation_input& input);

}  // namespace nearfork::tools

#include "tools/simulated/simulated_workload.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include <nearfork/error.hpp>

#include "tools/simulated/workload_programs.hpp"

namespace nearfork::tools {
namespace {

using simulate = sim::program (*)(const simulation_input&);
constexpr std::pair<std::string_view, simulate> without_grid[] = {
    {"mergesort", simulate_mergesort},   {"matmul", simulate_matmul},   {"fft", simulate_fft},
    {"mandelbrot", simulate_mandelbrot}, {"nqueens", simulate_nqueens}, {"fib", simulate_fib}};

simulate find_without_grid(std::string_view name) {
  const auto found = std::ranges::find(without_grid, name, [](const auto& one) { return one.first; });
  return found == std::end(without_grid) ? nullptr : found->second;
}

}  // namespace

std::vector<std::string_view> simulated_workloads() {
  std::vector<std::string_view> names;
  for (const workloads::workload& one : workloads::all_workloads())
    if (find_simulated_grid(one.name) || find_simulated_graph(one.name) != nullptr ||
        find_without_grid(one.name) != nullptr)
      names.push_back(one.name);
  return names;
}

bool has_setup(const workloads::workload& what, sim::setup_kind how) {
  if (find_simulated_grid(what.name)) return true;
  if (find_simulated_graph(what.name) != nullptr) return how != sim::setup_kind::cilk;
  return !needs_tasks(how);
}

std::uint64_t iterations_of(const workloads::workload& what, const workloads::size_values& size) {
  const auto field = std::ranges::find(what.sizes.fields, std::string_view("iterations"), &workloads::size_field::name);
  return field == what.sizes.fields.end() ? 1 : size.at(static_cast<std::size_t>(field - what.sizes.fields.begin()));
}

void check_tasks(std::string_view workload, double tasks) {
  if (tasks <= static_cast<double>(most_simulated_tasks)) return;
  throw error(fmt::format(
      "nearfork: {} of that size forks {:.3g} tasks, and at most {} are simulated; choose a smaller size or a "
      "coarser cut-off",
      workload, tasks, most_simulated_tasks));
}

std::vector<sim::data_array> arrays_of(std::size_t count, std::uint64_t each_bytes) {
  std::vector<sim::data_array> made;
  for (std::size_t i = 0; i < count; ++i) made.push_back({i * whole_pages(each_bytes), each_bytes});
  return made;
}

sim::program program_of(std::string_view name, std::uint64_t input_bytes, sim::graph_sketch&& sketch,
                        std::vector<sim::data_array> arrays) {
  sim::program made{.name = std::string(name), .input_bytes = input_bytes, .graphs = {}, .course = {0}};
  made.arrays = std::move(arrays);
  made.graphs.push_back(std::move(sketch).finish());
  return made;
}

namespace {

sim::program without_setup(const workloads::workload& what, const simulation_input& input) {
  if (const auto grid = find_simulated_grid(what.name)) return simulate_grid(*grid, input);
  if (const workloads::graph_program* const graph = find_simulated_graph(what.name)) {
    if (input.setup == sim::setup_kind::cilk)
      throw error(fmt::format("nearfork: {} has no setup called cilk; grid programs alone have", what.name));
    return simulate_graph(*graph, input);
  }
  if (const simulate other = find_without_grid(what.name)) {
    if (needs_tasks(input.setup))
      throw error(fmt::format("nearfork: {} has no setup called {}; {} programs alone have", what.name,
                              name_of(input.setup),
                              input.setup == sim::setup_kind::parallel ? "grid and graph" : "grid"));
    return other(input);
  }
  throw error(fmt::format("nearfork: {} has no simulated counterpart; simulated are {}", what.name,
                          fmt::join(simulated_workloads(), ", ")));
}

}  // namespace

sim::program simulated_program(const workloads::workload& what, const simulation_input& input) {
  sim::program made = without_setup(what, input);
  if (!needs_tasks(input.setup)) set_up(made, input.setup);
  return made;
}

}  // namespace nearfork::tools

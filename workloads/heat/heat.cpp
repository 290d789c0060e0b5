#include "workloads/heat/heat.hpp"

#include <nearfork/region.hpp>

#include "workloads/define.hpp"
#include "workloads/fork.hpp"
#include "workloads/random_numbers.hpp"
#include "workloads/same_bits.hpp"

namespace nearfork::workloads {

std::vector<parameter> parameters_of(heat_size& size) {
  return {
      number("rows", size.rows, {3, std::uint64_t{1} << 32}, "of the plate, edges included"),
      number("columns", size.columns, {3, std::uint64_t{1} << 24}, "of the plate, edges included"),
      choice<tree_shape>("tree", size.tree, {{"regular", tree_shape::regular}, {"irregular", tree_shape::irregular}},
                         "every task has two children, or two to four"),
      number("iterations", size.iterations, {1, 1'000'000}, "time steps"),
      number("seed", size.seed, {0, ~std::uint64_t{0}}, "of the first temperatures")};
}

/// Two buffers and the expected answer.
std::uint64_t bytes_of(const heat_size& size) {
  return 3 * sizeof(double) * size.rows * size.columns;
}

heat::heat(const heat_size& chosen) : chosen_(chosen) {
  reset();
  run_heat_serial(*this);
  expected_ = grid_after(chosen_.iterations);
  reset();
}

void heat::reset() {
  auto& first = grids_[0];
  first.resize(chosen_.rows * chosen_.columns);
  random_numbers random(chosen_.seed);
  for (double& cell : first) cell = random.unit();
  grids_[1] = first;  // the edges are never written again
}

std::optional<std::string> heat::fault() const {
  const std::vector<double>& result = grids_[chosen_.iterations % 2];
  const auto wrong = first_difference<double>(result, expected_);
  if (!wrong) return std::nullopt;
  return wrong_cell(*wrong, chosen_.columns, result[*wrong], expected_[*wrong]);
}

std::span<std::byte> heat::answer() {
  return std::as_writable_bytes(std::span(grid_after(chosen_.iterations)));
}

void run_heat_serial(heat& plate) {
  for (std::uint64_t i = 0; i < plate.chosen().iterations; ++i) plate.step(i, plate.inner_rows());
}

void run_heat_nearfork(heat& plate) {
  const heat_size& size = plate.chosen();
  const region_options options{.name = "heat", .input_bytes = 2 * sizeof(double) * size.rows * size.columns};
  for (std::uint64_t i = 0; i < size.iterations; ++i)
    region(options, [&] {
      for_row_leaves(nearfork_fork{}, plate.inner_rows(), size.tree, [&](row_range rows) { plate.step(i, rows); });
    });
}

workload define_heat() {
  return define<heat>({.name = "heat",
                       .description = "five-point heat distribution on a plate; memory-bound, iterative",
                       .sizes = {{"test", "rows=67,columns=33,iterations=5"},
                                 {"small", "rows=1024,columns=512,iterations=20"},
                                 {"default", ""},
                                 {"a-cab", "rows=1024,columns=512,iterations=200"},
                                 {"laws", "rows=8096,columns=1024,iterations=200"},
                                 {"bats", "rows=224k,columns=4k,iterations=200"}},
                       .contenders = {contender_of("serial", library::none, run_heat_serial),
                                      contender_of("nearfork", library::nearfork, run_heat_nearfork)}});
}

}  // namespace nearfork::workloads

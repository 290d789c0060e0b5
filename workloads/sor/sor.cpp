#include "workloads/sor/sor.hpp"

#include <nearfork/region.hpp>

#include "workloads/difference.hpp"
#include "workloads/input_numbers.hpp"

namespace nearfork::workloads {
namespace {

constexpr double tolerance = 1e-9;  // of values in [0, 100], as for heat

const size_table<sor_size>& sizes() {
  static const size_table<sor_size> table{
      {{&sor_size::rows, {"rows", "rows of the grid, the border included", 3, std::uint64_t{1} << 24}},
       {&sor_size::columns, {"columns", "columns of the grid, the border included", 3, std::uint64_t{1} << 24}},
       {&sor_size::iterations, {"iterations", "times that all cells are relaxed", 1, 1'000'000}}},
      {{"default", {2048, 1024, 100}},
       {"small", {512, 512, 20}},
       {"test", {67, 41, 5}},
       {"a-cab", {1024, 512, 200}},
       {"laws", {8096, 1024, 200}}}};
  return table;
}

}  // namespace

sor_instance::sor_instance(const sor_size& size, std::uint64_t seed, tree_shape shape)
    : size_(size), seed_(seed), tree_(shape), grid_(size.rows * size.columns) {
  sor_instance::reset();
  right_ = reference();
}

std::uint64_t sor_instance::bytes(const sor_size& size) {
  return 2 * size.rows * size.columns * sizeof(double);
}

void sor_instance::reset() {
  input_numbers numbers(seed_);
  for (double& cell : grid_) cell = numbers.between(0, 100);
}

void sor_instance::run_serial() {
  iterate([&](const sor_step& step) { sor_rows(step, inner_rows().first, inner_rows().last); });
}

void sor_instance::run_nearfork() {
  const region_options sor{.name = tree_.shape() == tree_shape::regular ? "sor" : "sor-ir",
                           .input_bytes = grid_.size() * sizeof(double)};
  const auto sweep = [&](const sor_step& step) {
    fork_rows(tree_, inner_rows(), [&](std::size_t first, std::size_t last) { sor_rows(step, first, last); });
  };
  run([&] {
    for (std::uint64_t i = 0; i < size_.iterations; ++i) region(sor, [&] { both_colours(sweep); });
  });
}

std::string sor_instance::fault() const {
  return difference("cell", grid_, right_, tolerance);
}

void sor_instance::corrupt(std::uint64_t where) {
  grid_[where % grid_.size()] += 1e-6;
}

std::vector<double> sor_instance::reference() const {
  const auto at = [&](std::size_t row, std::size_t column) { return row * size_.columns + column; };
  std::vector<double> cells = grid_;
  for (std::uint64_t half = 0; half < 2 * size_.iterations; ++half)
    for (std::size_t row = 1; row + 1 < size_.rows; ++row)
      for (std::size_t column = 1; column + 1 < size_.columns; ++column) {
        if ((row + column) % 2 != half % 2) continue;
        const double sum = cells[at(row - 1, column)] + cells[at(row + 1, column)] + cells[at(row, column - 1)] +
                           cells[at(row, column + 1)];
        cells[at(row, column)] = (1 - sor_factor) * cells[at(row, column)] + sor_factor * sum / 4;
      }
  return cells;
}

workload sor_workload() {
  return workload_of<sor_instance>("sor", "successive over-relaxation, red-black, rows halved down to leaves of 8",
                                   sizes());
}

workload sor_irregular_workload() {
  return workload_of<irregular_sor_instance>(
      "sor-ir", "successive over-relaxation, rows divided by 2, 3 or 4 as a task's place in the tree says", sizes());
}

}  // namespace nearfork::workloads

#include "workloads/heat/heat.hpp"

#include <nearfork/region.hpp>

#include "workloads/difference.hpp"
#include "workloads/input_numbers.hpp"

namespace nearfork::workloads {
namespace {

/// Heat lies in [0, 100]; rounding differs by less than 1e-12 where a compiler fuses multiply and add.
constexpr double tolerance = 1e-9;

const size_table<heat_size>& sizes() {
  static const size_table<heat_size> table{
      {{&heat_size::rows, {"rows", "rows of the grid, the border included", 3, std::uint64_t{1} << 24}},
       {&heat_size::columns, {"columns", "columns of the grid, the border included", 3, std::uint64_t{1} << 24}},
       {&heat_size::iterations, {"iterations", "times that all cells are computed", 1, 1'000'000}}},
      {{"default", {2048, 1024, 200}},
       {"small", {512, 512, 20}},
       {"test", {67, 41, 5}},
       {"a-cab", {1024, 512, 200}},
       {"laws", {8096, 1024, 200}}}};
  return table;
}

}  // namespace

heat_instance::heat_instance(const heat_size& size, std::uint64_t seed, tree_shape shape)
    : size_(size), seed_(seed), tree_(shape), from_(size.rows * size.columns), to_(from_.size()) {
  heat_instance::reset();
  right_ = reference();
}

std::uint64_t heat_instance::bytes(const heat_size& size) {
  return 3 * size.rows * size.columns * sizeof(double);
}

void heat_instance::reset() {
  input_numbers numbers(seed_);
  for (double& cell : from_) cell = numbers.between(0, 100);
  to_ = from_;
}

void heat_instance::run_serial() {
  iterate([&](const heat_step& step) { heat_rows(step, inner_rows().first, inner_rows().last); });
}

void heat_instance::run_nearfork() {
  const region_options heat{.name = tree_.shape() == tree_shape::regular ? "heat" : "heat-ir",
                            .input_bytes = 2 * from_.size() * sizeof(double)};
  run([&] {
    iterate([&](const heat_step& step) {
      region(heat, [&] {
        fork_rows(tree_, inner_rows(), [&](std::size_t first, std::size_t last) { heat_rows(step, first, last); });
      });
    });
  });
}

std::string heat_instance::fault() const {
  return difference("cell", from_, right_, tolerance);
}

void heat_instance::corrupt(std::uint64_t where) {
  from_[where % from_.size()] += 1e-6;
}

/// As a textbook has it: what the kernel computes is checked, too.
std::vector<double> heat_instance::reference() const {
  const auto at = [&](std::size_t row, std::size_t column) { return row * size_.columns + column; };
  std::vector<double> now = from_;
  std::vector<double> next = from_;
  for (std::uint64_t i = 0; i < size_.iterations; ++i) {
    for (std::size_t row = 1; row + 1 < size_.rows; ++row)
      for (std::size_t column = 1; column + 1 < size_.columns; ++column)
        next[at(row, column)] = (1 - 4 * heat_flow) * now[at(row, column)] +
                                heat_flow * (now[at(row - 1, column)] + now[at(row + 1, column)] +
                                             now[at(row, column - 1)] + now[at(row, column + 1)]);
    now.swap(next);
  }
  return now;
}

workload heat_workload() {
  return workload_of<heat_instance>(
      "heat", "five-point heat distribution, two buffers, rows halved down to leaves of 8", sizes());
}

workload heat_irregular_workload() {
  return workload_of<irregular_heat_instance>(
      "heat-ir", "five-point heat distribution, rows divided by 2, 3 or 4 as a task's place in the tree says", sizes());
}

}  // namespace nearfork::workloads

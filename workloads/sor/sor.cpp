#include "workloads/sor/sor.hpp"

#include <nearfork/region.hpp>

#include "workloads/define.hpp"
#include "workloads/fork.hpp"
#include "workloads/random_numbers.hpp"
#include "workloads/same_bits.hpp"

namespace nearfork::workloads {

std::vector<parameter> parameters_of(sor_size& size) {
  return {
      number("rows", size.rows, {3, std::uint64_t{1} << 32}, "of the plate, edges included"),
      number("columns", size.columns, {3, std::uint64_t{1} << 24}, "of the plate, edges included"),
      choice<tree_shape>("tree", size.tree, {{"regular", tree_shape::regular}, {"irregular", tree_shape::irregular}},
                         "every task has two children, or two to four"),
      number("iterations", size.iterations, {1, 1'000'000}, "of a red and a black sweep"),
      number("seed", size.seed, {0, ~std::uint64_t{0}}, "of the first values")};
}

/// The grid and the expected answer.
std::uint64_t bytes_of(const sor_size& size) {
  return 2 * sizeof(double) * size.rows * size.columns;
}

sor::sor(const sor_size& chosen) : chosen_(chosen) {
  reset();
  run_sor_serial(*this);
  expected_ = grid_;
  reset();
}

void sor::reset() {
  grid_.resize(chosen_.rows * chosen_.columns);
  random_numbers random(chosen_.seed);
  for (double& cell : grid_) cell = random.unit();
}

std::optional<std::string> sor::fault() const {
  const auto wrong = first_difference<double>(grid_, expected_);
  if (!wrong) return std::nullopt;
  return wrong_cell(*wrong, chosen_.columns, grid_[*wrong], expected_[*wrong]);
}

void run_sor_serial(sor& plate) {
  for (std::uint64_t sweep = 0; sweep < plate.sweeps(); ++sweep) plate.relax(sweep, plate.inner_rows());
}

/// Each sweep is one iteration of the region: then all of them have the same tree over the same rows, and a task's
/// share of the data is what its place in the tree says.
void run_sor_nearfork(sor& plate) {
  const sor_size& size = plate.chosen();
  const region_options options{.name = "sor", .input_bytes = sizeof(double) * size.rows * size.columns};
  for (std::uint64_t sweep = 0; sweep < plate.sweeps(); ++sweep)
    region(options, [&] {
      for_row_leaves(nearfork_fork{}, plate.inner_rows(), size.tree, [&](row_range rows) { plate.relax(sweep, rows); });
    });
}

workload define_sor() {
  return define<sor>({.name = "sor",
                      .description = "successive over-relaxation, red and black; memory-bound, iterative",
                      .sizes = {{"test", "rows=67,columns=34,iterations=3"},
                                {"small", "rows=1024,columns=512,iterations=20"},
                                {"default", ""},
                                {"a-cab", "rows=1024,columns=512,iterations=200"},
                                {"laws", "rows=8096,columns=1024,iterations=200"},
                                {"bats", "rows=224k,columns=4k,iterations=200"}},
                      .contenders = {contender_of("serial", library::none, run_sor_serial),
                                     contender_of("nearfork", library::nearfork, run_sor_nearfork)}});
}

}  // namespace nearfork::workloads

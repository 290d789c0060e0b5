#include "workloads/grid/grid_instance.hpp"

#include <algorithm>
#include <utility>

#include <nearfork/hints.hpp>
#include <nearfork/region.hpp>

#include "workloads/difference.hpp"

namespace nearfork::workloads {
namespace {

/// Cells are at most 100, or a matrix's extent. If a compiler fuses multiply and add, rounding differs by less than
/// 1e-12 of that.
constexpr double cell_tolerance = 1e-9;

std::string name_of(const grid_program& program, tree_shape shape) {
  return std::string(program.name) + (shape == tree_shape::regular ? "" : "-ir");
}

std::string division_of(const grid_program& program, tree_shape shape) {
  const char* const slabs = program.sizes.sizes.front().size.rows == 1 ? "rows" : "planes";
  return slabs + std::string(shape == tree_shape::regular ? " halved down to leaves of 8"
                                                          : " divided by 2, 3 or 4 as a task's place in the tree says");
}

}  // namespace

grid_instance::grid_instance(const grid_program& program, tree_shape shape, const grid_size& size,
                             const instance_input& input)
    : program_(program), tree_(shape), extent_(size.extent()), iterations_(size.iterations), input_(input) {
  std::vector<double> cells(extent_.cells());
  program_.fill(extent_, input_.seed, {0, extent_.slabs}, cells.data());
  right_ = program_.answer(extent_, iterations_, std::move(cells));
  make_arrays();
  grid_instance::reset();
}

/// The answer's buffers are gone before ours are made.
std::uint64_t grid_instance::bytes(const grid_program& program, const grid_size& size) {
  const std::uint64_t buffers = program.order == grid_order::two_buffers ? 3 : 2;
  return buffers * size.extent().cells() * sizeof(double);
}

std::string grid_instance::name() const {
  return name_of(program_, tree_.shape());
}

void grid_instance::make_arrays() {
  from_ = {};
  to_ = {};
  from_ = {extent_.cells(), input_.arrays};
  if (program_.order == grid_order::two_buffers) to_ = {extent_.cells(), input_.arrays};
}

/// Slabs [first, last) of all buffers.
void grid_instance::fill(std::size_t first, std::size_t last) const {
  program_.fill(extent_, input_.seed, {first, last}, from_.data());
  if (program_.order != grid_order::two_buffers) return;
  const std::size_t slab = extent_.slab_cells();
  std::copy(from_.data() + first * slab, from_.data() + last * slab, to_.data() + first * slab);
}

void grid_instance::reset() {
  reset_by([](std::size_t count, const range_body& body) { body(0, count); });
}

void grid_instance::reset_by(const range_loop& loop) {
  if (input_.arrays.setup == array_setup::parallel) make_arrays();
  loop(extent_.slabs, [this](std::size_t first, std::size_t last) { fill(first, last); });
}

void grid_instance::reset_nearfork() {
  if (input_.arrays.setup == array_setup::serial) return reset();
  reset_by([this](std::size_t count, const range_body& body) {
    region({.name = name() + " setup", .input_bytes = from_.size_bytes() + to_.size_bytes()},
           [&] { fork_slabs(tree_, {0, count}, body); });
  });
}

void grid_instance::run_serial() {
  iterate([&](const grid_sweep& sweep) {
    const slab_range changed = changes(sweep);
    compute(sweep, changed.first, changed.last);
  });
}

void grid_instance::run_nearfork() {
  const region_options options{.name = name(), .input_bytes = from_.size_bytes() + to_.size_bytes()};
  const auto forked = [&](const grid_sweep& sweep) {
    fork_slabs(tree_, tree_root(), [&](std::size_t first, std::size_t last) { compute(sweep, first, last); });
  };
  const data_name one("grid", from_.all());
  const data_name other("other grid", to_.all());
  run([&] {
    for (std::uint64_t i = 0; i < iterations_; ++i) region(options, [&] { iterate_once(i, forked); });
  });
}

slab_task grid_instance::tree_root() const {
  const slab_range all = program_.changes(extent_, 0);
  return {all.first, all.last};
}

std::string grid_instance::fault() const {
  return difference("cell", from_.all(), right_, cell_tolerance);
}

void grid_instance::corrupt(std::uint64_t where) {
  from_.all()[where % from_.size()] += 1e-6;
}

workload grid_workload(const grid_program& program, tree_shape shape) {
  return {
      .name = name_of(program, shape),
      .description = std::string(program.description) + ", " + division_of(program, shape),
      .sizes = program.sizes.rules(),
      .bytes = [&program](const size_values& size,
                          const instance_input&) { return grid_instance::bytes(program, program.sizes.from(size)); },
      .make = [&program, shape](const size_values& size, const instance_input& input) -> std::unique_ptr<instance> {
        return std::make_unique<grid_instance>(program, shape, program.sizes.from(size), input);
      },
      .takes_arrays = true};
}

}  // namespace nearfork::workloads

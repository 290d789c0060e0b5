#include "workloads/grid/grid_instance.hpp"

#include <nearfork/hints.hpp>
#include <nearfork/region.hpp>

#include "workloads/difference.hpp"

namespace nearfork::workloads {
namespace {

/// Cells are at most 100, or a matrix's extent. If a compiler fuses multiply and add, rounding differs by less than
/// 1e-12 of that.
constexpr double tolerance = 1e-9;

std::string name_of(const grid_program& program, tree_shape shape) {
  return std::string(program.name) + (shape == tree_shape::regular ? "" : "-ir");
}

std::string division_of(const grid_program& program, tree_shape shape) {
  const char* const slabs = program.sizes.sizes.front().size.rows == 1 ? "rows" : "planes";
  return slabs + std::string(shape == tree_shape::regular ? " halved down to leaves of 8"
                                                          : " divided by 2, 3 or 4 as a task's place in the tree says");
}

}  // namespace

grid_instance::grid_instance(const grid_program& program, tree_shape shape, const grid_size& size, std::uint64_t seed)
    : program_(program),
      tree_(shape),
      extent_(size.extent()),
      iterations_(size.iterations),
      seed_(seed),
      from_(extent_.cells()) {
  input_numbers numbers(seed_);
  program_.fill(extent_, numbers, from_);
  right_ = program_.answer(extent_, iterations_, from_);
  grid_instance::reset();
}

/// While the answer is computed, its second buffer takes the place of ours, which is made later.
std::uint64_t grid_instance::bytes(const grid_program& program, const grid_size& size) {
  const std::uint64_t buffers = program.order == grid_order::two_buffers ? 3 : 2;
  return buffers * size.extent().cells() * sizeof(double);
}

void grid_instance::reset() {
  input_numbers numbers(seed_);
  program_.fill(extent_, numbers, from_);
  if (program_.order == grid_order::two_buffers) to_ = from_;
}

void grid_instance::run_serial() {
  iterate([&](const grid_sweep& sweep) {
    const slab_range changed = changes(sweep);
    compute(sweep, changed.first, changed.last);
  });
}

void grid_instance::run_nearfork() {
  const region_options options{.name = name_of(program_, tree_.shape()),
                               .input_bytes = (from_.size() + to_.size()) * sizeof(double)};
  const auto forked = [&](const grid_sweep& sweep) {
    fork_slabs(tree_, tree_root(), [&](std::size_t first, std::size_t last) { compute(sweep, first, last); });
  };
  const data_name one("grid", from_);
  const data_name other("other grid", to_);
  run([&] {
    for (std::uint64_t i = 0; i < iterations_; ++i) region(options, [&] { iterate_once(i, forked); });
  });
}

slab_task grid_instance::tree_root() const {
  const slab_range all = program_.changes(extent_, 0);
  return {all.first, all.last};
}

std::string grid_instance::fault() const {
  return difference("cell", from_, right_, tolerance);
}

void grid_instance::corrupt(std::uint64_t where) {
  from_[where % from_.size()] += 1e-6;
}

workload grid_workload(const grid_program& program, tree_shape shape) {
  return {name_of(program, shape), std::string(program.description) + ", " + division_of(program, shape),
          program.sizes.rules(),
          [&program](const size_values& size) { return grid_instance::bytes(program, program.sizes.from(size)); },
          [&program, shape](const size_values& size, std::uint64_t seed) -> std::unique_ptr<instance> {
            return std::make_unique<grid_instance>(program, shape, program.sizes.from(size), seed);
          }};
}

}  // namespace nearfork::workloads

#include <initializer_list>
#include <utility>
#include <vector>

#include "workloads/dataflow/patterns.hpp"

namespace nearfork::workloads {
namespace {

/// Copies tiles in, changes each of them step by step, and copies them out.
class tile_steps {
 public:
  tile_steps(std::uint32_t blocks, std::uint32_t tile_rows)
      : cube_(static_cast<double>(tile_rows) * tile_rows * tile_rows),
        made_(blocks, std::uint64_t{tile_rows} * tile_rows * sizeof(double), 1) {
    for (std::uint32_t block = 0; block < blocks; ++block) {
      flow_step copy = step_of(flow_kernel::copy_in, block, 0, copy_operations());
      copy.initial_bytes = made_.block_bytes();
      latest_.push_back(made_.add_value(made_.add(copy, {}), block, made_.block_bytes()));
    }
  }

  /// `cubes`: operations in cubes of a tile's rows. Changes the block by what was written last to the others.
  void change(flow_kernel kernel, std::uint32_t block, std::uint32_t step, double cubes,
              std::initializer_list<std::uint32_t> others) {
    std::vector<std::uint32_t> inputs{latest_[block]};
    for (const std::uint32_t other : others) inputs.push_back(latest_[other]);
    const std::uint32_t task = made_.add(step_of(kernel, block, step, cubes * cube_), inputs);
    latest_[block] = made_.add_value(task, block, made_.block_bytes());
  }

  flow_pattern finish(std::uint32_t step) && {
    for (std::uint32_t block = 0; block < made_.blocks(); ++block) {
      flow_step copy = step_of(flow_kernel::copy_out, block, step, copy_operations());
      copy.final_bytes = made_.block_bytes();
      made_.add(copy, {latest_[block]});
    }
    return std::move(made_);
  }

 private:
  [[nodiscard]] double copy_operations() const { return static_cast<double>(made_.block_bytes()) / 4; }
  static flow_step step_of(flow_kernel kernel, std::uint32_t block, std::uint32_t step, double operations) {
    flow_step made;
    made.kernel = kernel;
    made.block = block;
    made.step = step;
    made.operations = operations;
    made.is_vector = true;
    return made;
  }

  double cube_;
  flow_pattern made_;
  std::vector<std::uint32_t> latest_;
};

}  // namespace

flow_pattern cholesky_pattern(std::uint32_t tiles, std::uint32_t tile_rows) {
  tile_steps steps(tiles * (tiles + 1) / 2, tile_rows);
  for (std::uint32_t k = 0; k < tiles; ++k) {
    const std::uint32_t diagonal = tile_number(k, k);
    steps.change(flow_kernel::factor, diagonal, k + 1, 1.0 / 3, {});
    for (std::uint32_t i = k + 1; i < tiles; ++i)
      steps.change(flow_kernel::solve, tile_number(i, k), k + 1, 1, {diagonal});
    for (std::uint32_t i = k + 1; i < tiles; ++i)
      for (std::uint32_t j = k + 1; j <= i; ++j) {
        if (j == i) steps.change(flow_kernel::update, tile_number(i, i), k + 1, 1, {tile_number(i, k)});
        else steps.change(flow_kernel::update, tile_number(i, j), k + 1, 2, {tile_number(i, k), tile_number(j, k)});
      }
  }
  return std::move(steps).finish(tiles + 1);
}

flow_pattern lu_pattern(std::uint32_t tiles, std::uint32_t tile_rows) {
  tile_steps steps(tiles * tiles, tile_rows);
  const auto tile = [&](std::uint32_t row, std::uint32_t column) { return row * tiles + column; };
  for (std::uint32_t k = 0; k < tiles; ++k) {
    steps.change(flow_kernel::factor, tile(k, k), k + 1, 2.0 / 3, {});
    for (std::uint32_t i = k + 1; i < tiles; ++i) {
      steps.change(flow_kernel::solve, tile(k, i), k + 1, 1, {tile(k, k)});
      steps.change(flow_kernel::solve, tile(i, k), k + 1, 1, {tile(k, k)});
    }
    for (std::uint32_t i = k + 1; i < tiles; ++i)
      for (std::uint32_t j = k + 1; j < tiles; ++j)
        steps.change(flow_kernel::update, tile(i, j), k + 1, 2, {tile(i, k), tile(k, j)});
  }
  return std::move(steps).finish(tiles + 1);
}

}  // namespace nearfork::workloads

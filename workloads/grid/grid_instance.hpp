#pragma once

#include <vector>

#include "workloads/buffer.hpp"
#include "workloads/grid/grid_program.hpp"
#include "workloads/instance.hpp"

namespace nearfork::workloads {

/// The cells of a grid program, its tree, and the iterations that all contenders share.
class grid_instance final : public instance {
 public:
  grid_instance(const grid_program& program, tree_shape shape, const grid_size& size, const instance_input& input);
  [[nodiscard]] static std::uint64_t bytes(const grid_program& program, const grid_size& size);

  void reset() override;
  void reset_nearfork() override;
  void reset_by(const range_loop& loop) override;
  void run_serial() override;
  void run_nearfork() override;
  [[nodiscard]] std::string fault() const override;
  void corrupt(std::uint64_t where) override;

  [[nodiscard]] const slab_tree& tree() const noexcept { return tree_; }
  /// The same in each iteration, also if later iterations change fewer slabs: a task is known by its position in the
  /// tree, and this keeps the task with its data. The kernel skips what need not change.
  [[nodiscard]] slab_task tree_root() const;
  /// For loops, which need only these slabs.
  [[nodiscard]] slab_range changes(const grid_sweep& sweep) const { return program_.changes(extent_, sweep.iteration); }
  void compute(const grid_sweep& sweep, std::size_t first, std::size_t last) const noexcept {
    program_.compute(sweep, first, last);
  }

  /// Runs all iterations. run(sweep) must compute what a sweep changes.
  template <class Run>
  void iterate(const Run& run) {
    for (std::uint64_t i = 0; i < iterations_; ++i) iterate_once(i, run);
  }

 private:
  template <class Run>
  void iterate_once(std::uint64_t iteration, const Run& run) {
    const bool two_buffers = program_.order == grid_order::two_buffers;
    grid_sweep sweep{from_.data(), two_buffers ? to_.data() : from_.data(), extent_, iteration};
    run(sweep);
    if (program_.order == grid_order::red_black) {
      sweep.colour = 1;
      run(sweep);
    }
    if (two_buffers) from_.swap(to_);
  }

  [[nodiscard]] std::string name() const;
  void make_arrays();
  void fill(std::size_t first, std::size_t last) const;

  const grid_program& program_;
  slab_tree tree_;
  grid_extent extent_;
  std::uint64_t iterations_;
  instance_input input_;
  std::vector<double> right_;
  buffer<double> from_{};
  buffer<double> to_{};  // empty if in place
};

}  // namespace nearfork::workloads

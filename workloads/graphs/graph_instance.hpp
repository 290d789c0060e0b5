#pragma once

#include <vector>

#include "workloads/buffer.hpp"
#include "workloads/forks.hpp"
#include "workloads/graphs/graph_program.hpp"
#include "workloads/graphs/range_tree.hpp"
#include "workloads/instance.hpp"

namespace nearfork::workloads {

/// The nodes of a graph program, its tree, and the iterations that all contenders share.
class graph_instance final : public instance {
 public:
  graph_instance(const graph_program& program, const graph_size& size, const instance_input& input);
  [[nodiscard]] static std::uint64_t bytes(const graph_program& program, const graph_size& size,
                                           const instance_input& input);

  void reset() override;
  void reset_nearfork() override;
  void reset_by(const range_loop& loop) override;
  void run_serial() override;
  void run_nearfork() override;
  [[nodiscard]] std::string fault() const override;
  void corrupt(std::uint64_t where) override;

  [[nodiscard]] std::size_t nodes() const noexcept { return made_.view().nodes(); }
  [[nodiscard]] range_tree tree() const noexcept { return range_tree(made_.view()); }
  void compute(const graph_sweep& sweep, std::size_t first, std::size_t last) const {
    program_.compute(sweep, first, last);
  }

  /// Runs all iterations. run(sweep) must compute all nodes.
  template <class Run>
  void iterate(const Run& run) const {
    for (std::uint64_t i = 0; i < iterations_; ++i) run(sweep(i));
  }

 private:
  [[nodiscard]] graph_sweep sweep(std::uint64_t iteration) const noexcept;
  [[nodiscard]] unsigned last_written() const noexcept { return static_cast<unsigned>(iterations_ % 2); }
  /// Lists that were made once, by one thread, are used as they are, if that is what was asked for.
  [[nodiscard]] bool copies_lists() const noexcept {
    return input_.arrays.placed.has_value() || input_.arrays.setup == array_setup::parallel;
  }
  void make_arrays();
  void fill(std::size_t first, std::size_t last) const;
  [[nodiscard]] node_records records() const noexcept { return {records_.data(), record_doubles_}; }

  const graph_program& program_;
  std::uint64_t iterations_;
  std::size_t record_doubles_;
  instance_input input_;
  pull_lists made_;
  std::vector<node_number> readers_made_;
  std::vector<double> right_;
  buffer<std::uint64_t> offsets_{};  // copies; empty if the lists are used as they were made
  buffer<node_number> targets_{};
  buffer<node_number> readers_{};
  buffer<double> records_{};
};

}  // namespace nearfork::workloads

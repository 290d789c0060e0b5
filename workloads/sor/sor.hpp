// Successive over-relaxation, red-black and in place: each iteration relaxes all cells of one colour, then all of the other; a
// cell's neighbours have the other colour, so the cells of one do not depend on each other.
#pragma once

#include <vector>

#include "workloads/instance.hpp"
#include "workloads/row_tree.hpp"
#include "workloads/sor/sor_kernel.hpp"
#include "workloads/workload.hpp"

namespace nearfork::workloads {

struct sor_size {
  std::uint64_t rows;
  std::uint64_t columns;
  std::uint64_t iterations;
};

class sor_instance : public instance {
 public:
  sor_instance(const sor_size& size, std::uint64_t seed, tree_shape shape = tree_shape::regular);
  [[nodiscard]] static std::uint64_t bytes(const sor_size& size);

  void reset() override;
  void run_serial() override;
  void run_nearfork() override;
  [[nodiscard]] std::string fault() const override;
  void corrupt(std::uint64_t where) override;

  [[nodiscard]] const row_tree& tree() const noexcept { return tree_; }
  [[nodiscard]] row_task inner_rows() const noexcept { return {1, size_.rows - 1}; }

  /// All iterations: sweep(step) is to relax the inner rows' cells of one colour.
  template <class Sweep>
  void iterate(Sweep&& sweep) {
    for (std::uint64_t i = 0; i < size_.iterations; ++i) both_colours(sweep);
  }

 private:
  template <class Sweep>
  void both_colours(Sweep&& sweep) {
    for (const std::size_t colour : {std::size_t{0}, std::size_t{1}}) sweep(sor_step{grid_.data(), size_.columns, colour});
  }
  [[nodiscard]] std::vector<double> reference() const;

  sor_size size_;
  std::uint64_t seed_;
  row_tree tree_;
  std::vector<double> grid_;
  std::vector<double> right_;
};

/// The same with a tree whose branching degrees vary by task.
class irregular_sor_instance final : public sor_instance {
 public:
  irregular_sor_instance(const sor_size& size, std::uint64_t seed) : sor_instance(size, seed, tree_shape::irregular) {}
};

[[nodiscard]] workload sor_workload();
[[nodiscard]] workload sor_irregular_workload();

}  // namespace nearfork::workloads

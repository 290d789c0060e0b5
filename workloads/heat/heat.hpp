// Five-point heat distribution: each iteration computes every inner cell of a grid from itself and its four neighbours, from one
// buffer into the other; the border keeps its heat.
#pragma once

#include <vector>

#include "workloads/heat/heat_kernel.hpp"
#include "workloads/instance.hpp"
#include "workloads/row_tree.hpp"
#include "workloads/workload.hpp"

namespace nearfork::workloads {

struct heat_size {
  std::uint64_t rows;
  std::uint64_t columns;
  std::uint64_t iterations;
};

class heat_instance : public instance {
 public:
  heat_instance(const heat_size& size, std::uint64_t seed, tree_shape shape = tree_shape::regular);
  [[nodiscard]] static std::uint64_t bytes(const heat_size& size);

  void reset() override;
  void run_serial() override;
  void run_nearfork() override;
  [[nodiscard]] std::string fault() const override;
  void corrupt(std::uint64_t where) override;

  [[nodiscard]] const row_tree& tree() const noexcept { return tree_; }
  [[nodiscard]] row_task inner_rows() const noexcept { return {1, size_.rows - 1}; }

  /// All iterations: sweep(step) is to compute the inner rows of one.
  template <class Sweep>
  void iterate(Sweep&& sweep) {
    for (std::uint64_t i = 0; i < size_.iterations; ++i) {
      sweep(heat_step{from_.data(), to_.data(), size_.columns});
      from_.swap(to_);
    }
  }

 private:
  [[nodiscard]] std::vector<double> reference() const;

  heat_size size_;
  std::uint64_t seed_;
  row_tree tree_;
  std::vector<double> from_;
  std::vector<double> to_;
  std::vector<double> right_;
};

/// The same with a tree whose branching degrees vary by task.
class irregular_heat_instance final : public heat_instance {
 public:
  irregular_heat_instance(const heat_size& size, std::uint64_t seed)
      : heat_instance(size, seed, tree_shape::irregular) {}
};

[[nodiscard]] workload heat_workload();
[[nodiscard]] workload heat_irregular_workload();

}  // namespace nearfork::workloads

// Matrix product C = A B by divide and conquer: halves the longest of the three extents, down to blocks that stay in a
// cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "workloads/forks.hpp"
#include "workloads/instance.hpp"
#include "workloads/workload.hpp"

namespace nearfork::workloads {

struct matmul_size {
  std::uint64_t n;
};

/// A block of C, rows x columns, and what is added to it: the product of blocks of A and B with `inner` columns and
/// rows. All matrices have `stride` columns.
struct matmul_task {
  const double* a;
  const double* b;
  double* c;
  std::size_t rows;
  std::size_t columns;
  std::size_t inner;
  std::size_t stride;

  static constexpr std::size_t leaf = 64;  // three blocks of 32 KiB
  [[nodiscard]] bool is_leaf() const noexcept { return std::max({rows, columns, inner}) <= leaf; }
};

/// The product of a leaf. In a separate file, so that all contenders run the same code.
void multiply_block(const matmul_task& task) noexcept;

template <class Fork>
void multiply(const matmul_task& task, const Fork& fork) {
  if (task.is_leaf()) {
    multiply_block(task);
    return;
  }
  matmul_task first = task;
  matmul_task second = task;
  if (task.rows >= std::max(task.columns, task.inner)) {
    first.rows /= 2;
    second.rows -= first.rows;
    second.a += first.rows * task.stride;
    second.c += first.rows * task.stride;
  } else if (task.columns >= task.inner) {
    first.columns /= 2;
    second.columns -= first.columns;
    second.b += first.columns;
    second.c += first.columns;
  } else {
    // Both halves add to the same block, so they run one after the other.
    first.inner /= 2;
    second.inner -= first.inner;
    second.a += first.inner;
    second.b += first.inner * task.stride;
    multiply(first, fork);
    multiply(second, fork);
    return;
  }
  fork([&] { multiply(first, fork); }, [&] { multiply(second, fork); });
}

class matmul_instance final : public instance {
 public:
  matmul_instance(const matmul_size& size, std::uint64_t seed);
  [[nodiscard]] static std::uint64_t bytes(const matmul_size& size);

  void reset() override;
  void run_serial() override;
  void run_nearfork() override;
  [[nodiscard]] std::string fault() const override;
  void corrupt(std::uint64_t where) override;

  /// Rows [first, last) of the product; 0 and n for all.
  [[nodiscard]] matmul_task product(std::size_t first, std::size_t last) noexcept;
  [[nodiscard]] std::size_t n() const noexcept { return n_; }

 private:
  std::size_t n_;
  std::vector<double> a_;
  std::vector<double> b_;
  std::vector<double> c_;
  std::vector<double> probe_;        // multiplied with the answer to check it
  std::vector<double> right_probe_;  // A (B probe), which C probe must equal
};

[[nodiscard]] workload matmul_workload();

}  // namespace nearfork::workloads

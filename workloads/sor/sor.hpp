// Successive over-relaxation on a plate with fixed edges, in place, cells coloured as on a chess board: all cells of
// one colour may be updated at once (A-CAB, LAWS, BATS: SOR).
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/parameters.hpp"
#include "workloads/row_tree.hpp"
#include "workloads/workload.hpp"

namespace nearfork::workloads {

struct sor_size {
  std::uint64_t rows = 4096;
  std::uint64_t columns = 1024;
  tree_shape tree = tree_shape::regular;
  std::uint64_t iterations = 30;
  std::uint64_t seed = 1;
};
[[nodiscard]] std::vector<parameter> parameters_of(sor_size& size);
[[nodiscard]] std::uint64_t bytes_of(const sor_size& size);

/// Over-relaxes the inner cells (i, j) of rows [first, last) for which i + j is `colour` modulo 2.
void sor_leaf(double* grid, std::size_t columns, row_range rows, unsigned colour);

class sor final : public problem {
 public:
  using size = sor_size;
  explicit sor(const sor_size& chosen);

  void reset() override;
  [[nodiscard]] std::optional<std::string> fault() const override;
  [[nodiscard]] std::span<std::byte> answer() override { return std::as_writable_bytes(std::span(grid_)); }

  [[nodiscard]] const sor_size& chosen() const noexcept { return chosen_; }
  [[nodiscard]] row_range inner_rows() const noexcept { return {1, chosen_.rows - 1}; }
  /// Two of them, red and black, make an iteration.
  [[nodiscard]] std::uint64_t sweeps() const noexcept { return 2 * chosen_.iterations; }

  /// Part of one sweep.
  void relax(std::uint64_t sweep, row_range rows) {
    sor_leaf(grid_.data(), chosen_.columns, rows, static_cast<unsigned>(sweep % 2));
  }

 private:
  sor_size chosen_;
  std::vector<double> grid_;
  std::vector<double> expected_;
};

void run_sor_serial(sor& plate);
void run_sor_nearfork(sor& plate);

[[nodiscard]] workload define_sor();

}  // namespace nearfork::workloads

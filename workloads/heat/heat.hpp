// Heat distribution on a plate: five-point stencil, two buffers, fixed edges (A-CAB, LAWS, SAWS, BATS: Heat).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "workloads/parameters.hpp"
#include "workloads/row_tree.hpp"
#include "workloads/workload.hpp"

namespace nearfork::workloads {

struct heat_size {
  std::uint64_t rows = 4096;
  std::uint64_t columns = 1024;
  tree_shape tree = tree_shape::regular;
  std::uint64_t iterations = 50;
  std::uint64_t seed = 1;
};
[[nodiscard]] std::vector<parameter> parameters_of(heat_size& size);
[[nodiscard]] std::uint64_t bytes_of(const heat_size& size);

/// One step of the inner columns of rows [first, last), none of which is an edge:
/// to = from + 0.1 * (up + down + left + right - 4 from).
void heat_leaf(const double* from, double* to, std::size_t columns, row_range rows);

class heat final : public problem {
 public:
  using size = heat_size;
  explicit heat(const heat_size& chosen);

  void reset() override;
  [[nodiscard]] std::optional<std::string> fault() const override;
  [[nodiscard]] std::span<std::byte> answer() override;

  [[nodiscard]] const heat_size& chosen() const noexcept { return chosen_; }
  [[nodiscard]] row_range inner_rows() const noexcept { return {1, chosen_.rows - 1}; }
  [[nodiscard]] std::vector<double>& grid_after(std::uint64_t iterations) noexcept { return grids_[iterations % 2]; }

  /// Part of one iteration.
  void step(std::uint64_t iteration, row_range rows) {
    heat_leaf(grid_after(iteration).data(), grid_after(iteration + 1).data(), chosen_.columns, rows);
  }

 private:
  heat_size chosen_;
  std::array<std::vector<double>, 2> grids_;
  std::vector<double> expected_;
};

void run_heat_serial(heat& plate);
void run_heat_nearfork(heat& plate);

[[nodiscard]] workload define_heat();

}  // namespace nearfork::workloads

#include "workloads/flow_programs/factorisations.hpp"

#include <algorithm>
#include <functional>

#include "workloads/dataflow/patterns.hpp"
#include "workloads/flow_programs/tile_matrix.hpp"
#include "workloads/tiles/tile_kernels.hpp"

namespace nearfork::workloads {
namespace {

/// What both factorisations have in common: tiles that are changed in place, or in copies.
class factorisation : public flow_program {
 public:
  factorisation(flow_pattern pattern, const tile_size& size, std::uint64_t seed)
      : flow_program(std::move(pattern)),
        kernels_(best_tile_kernels()),
        tiles_(static_cast<std::uint32_t>(size.tiles)),
        rows_(size.rows),
        matrix_(size.extent(), seed) {}

  void compute(const flow_call& call) const final {
    auto* const tile = call.outputs.front().as<double>();
    const auto* const before = call.inputs.front().as<const double>();
    if (tile != before) std::copy(before, before + rows_ * rows_, tile);
    change(call, tile);
  }

  void corrupt(std::uint32_t /*block*/, std::byte* data, std::uint64_t where) const final {
    reinterpret_cast<double*>(data)[where % (rows_ * rows_)] += 1e-3;
  }

 protected:
  using element = std::function<double(std::size_t row, std::size_t column)>;

  virtual void change(const flow_call& call, double* tile) const = 0;

  [[nodiscard]] static const double* other(const flow_call& call, std::size_t number) {
    return call.inputs[number].as<const double>();
  }
  [[nodiscard]] std::size_t extent() const noexcept { return tiles_ * rows_; }
  void fill_tile(std::size_t row, std::size_t column, std::byte* data, const element& of) const {
    auto* next = reinterpret_cast<double*>(data);
    for (std::size_t i = 0; i < rows_; ++i)
      for (std::size_t j = 0; j < rows_; ++j) *next++ = of(row * rows_ + i, column * rows_ + j);
  }
  [[nodiscard]] std::vector<double> times_probe(const element& of) const {
    const std::vector<double> probe = probe_vector(extent());
    std::vector<double> product(extent(), 0.0);
    for (std::size_t i = 0; i < extent(); ++i)
      for (std::size_t j = 0; j < extent(); ++j) product[i] += of(i, j) * probe[j];
    return product;
  }

  const tile_kernels& kernels_;
  std::uint32_t tiles_;
  std::size_t rows_;
  made_up_matrix matrix_;
};

class cholesky_program final : public factorisation {
 public:
  cholesky_program(const tile_size& size, std::uint64_t seed)
      : factorisation(cholesky_pattern(static_cast<std::uint32_t>(size.tiles), static_cast<std::uint32_t>(size.rows)),
                      size, seed),
        right_(times_probe([&](std::size_t row, std::size_t column) { return matrix_.symmetric(row, column); })) {}

  void fill(std::uint32_t block, std::byte* data) const override {
    std::uint32_t row = 0;
    while (tile_number(row + 1, 0) <= block) ++row;
    fill_tile(row, block - tile_number(row, 0), data,
              [&](std::size_t i, std::size_t j) { return matrix_.symmetric(i, j); });
  }

  /// l (l^T probe); of tiles at the diagonal the upper triangle counts, too, so it must be 0.
  [[nodiscard]] std::string fault(std::span<const std::byte* const> blocks) const override {
    const std::vector<double> probe = probe_vector(extent());
    std::vector<double> between(extent(), 0.0), product(extent(), 0.0);
    for_each(blocks, [&](std::size_t i, std::size_t j, double l) { between[j] += l * probe[i]; });
    for_each(blocks, [&](std::size_t i, std::size_t j, double l) { product[i] += l * between[j]; });
    return product_difference(product, right_);
  }

 private:
  template <class F>
  void for_each(std::span<const std::byte* const> blocks, const F& f) const {
    for (std::uint32_t row = 0; row < tiles_; ++row)
      for (std::uint32_t column = 0; column <= row; ++column) {
        const auto* next = reinterpret_cast<const double*>(blocks[tile_number(row, column)]);
        for (std::size_t i = 0; i < rows_; ++i)
          for (std::size_t j = 0; j < rows_; ++j) f(row * rows_ + i, column * rows_ + j, *next++);
      }
  }

  void change(const flow_call& call, double* tile) const override {
    switch (call.step.kernel) {
      case flow_kernel::factor: return factor_symmetric(tile, rows_);
      case flow_kernel::solve: return kernels_.solve_right_transposed(other(call, 1), tile, rows_);
      default: break;
    }
    const bool is_symmetric = call.inputs.size() == 2;
    kernels_.subtract_transposed_product(other(call, 1), other(call, is_symmetric ? 1 : 2), tile, rows_);
  }

  std::vector<double> right_;
};

class lu_program final : public factorisation {
 public:
  lu_program(const tile_size& size, std::uint64_t seed)
      : factorisation(lu_pattern(static_cast<std::uint32_t>(size.tiles), static_cast<std::uint32_t>(size.rows)), size,
                      seed),
        right_(times_probe([&](std::size_t row, std::size_t column) { return matrix_.at(row, column); })) {}

  void fill(std::uint32_t block, std::byte* data) const override {
    fill_tile(block / tiles_, block % tiles_, data, [&](std::size_t i, std::size_t j) { return matrix_.at(i, j); });
  }

  /// l (u probe)
  [[nodiscard]] std::string fault(std::span<const std::byte* const> blocks) const override {
    const std::vector<double> probe = probe_vector(extent());
    std::vector<double> between(extent(), 0.0);
    for_each(blocks, [&](std::size_t i, std::size_t j, double a) {
      if (i <= j) between[i] += a * probe[j];
    });
    std::vector<double> product = between;
    for_each(blocks, [&](std::size_t i, std::size_t j, double a) {
      if (i > j) product[i] += a * between[j];
    });
    return product_difference(product, right_);
  }

 private:
  template <class F>
  void for_each(std::span<const std::byte* const> blocks, const F& f) const {
    for (std::uint32_t block = 0; block < blocks.size(); ++block) {
      const auto* next = reinterpret_cast<const double*>(blocks[block]);
      for (std::size_t i = 0; i < rows_; ++i)
        for (std::size_t j = 0; j < rows_; ++j) f(block / tiles_ * rows_ + i, block % tiles_ * rows_ + j, *next++);
    }
  }

  void change(const flow_call& call, double* tile) const override {
    switch (call.step.kernel) {
      case flow_kernel::factor: return factor_general(tile, rows_);
      case flow_kernel::solve: {
        const bool is_in_row = call.step.block / tiles_ + 1 == call.step.step;
        return (is_in_row ? kernels_.solve_left_unit : kernels_.solve_right_upper)(other(call, 1), tile, rows_);
      }
      default: return kernels_.subtract_product(other(call, 1), other(call, 2), tile, rows_);
    }
  }

  std::vector<double> right_;
};

template <class Program>
std::vector<workload> factorisation_workloads(const flow_description& what, double tiles_of_square,
                                              double tasks_of_cube) {
  return flow_workloads_of(
      what, tile_sizes(),
      [](const tile_size& of, std::uint64_t seed) -> std::unique_ptr<flow_program> {
        return std::make_unique<Program>(of, seed);
      },
      [=](const tile_size& of) -> flow_extent {
        const double tiles = static_cast<double>(of.tiles), rows = static_cast<double>(of.rows);
        const double blocks = tiles_of_square * tiles * (tiles + 1);
        return {.blocks = blocks,
                .block_bytes = rows * rows * sizeof(double),
                .tasks = blocks * 4 + tasks_of_cube * tiles * tiles * tiles,
                .values_of_task = 1};
      });
}

}  // namespace

std::vector<workload> cholesky_workloads() {
  return factorisation_workloads<cholesky_program>(
      {.name = "cholesky", .text = "tiled Cholesky factorisation of a positive definite matrix"}, 1.0 / 2, 1.0 / 6);
}

std::vector<workload> lu_workloads() {
  return factorisation_workloads<lu_program>(
      {.name = "lu", .text = "tiled LU factorisation without pivots, of a matrix whose diagonal dominates"}, 1,
      1.0 / 3);
}

}  // namespace nearfork::workloads

// Kernels of tiles against their definitions, element by element; those of OpenBLAS, too, where it is installed.
#include "workloads/tiles/tile_kernels.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "workloads/input_numbers.hpp"

namespace nearfork::workloads {
namespace {

class tile {
 public:
  explicit tile(std::size_t rows) : rows_(rows), elements_(rows * rows) {}
  /// Numbers from -1 to 1, and a diagonal that dominates.
  tile(std::size_t rows, std::uint64_t seed) : tile(rows) {
    input_numbers numbers(seed);
    for (double& one : elements_) one = numbers.between(-1, 1);
    for (std::size_t i = 0; i < rows; ++i) at(i, i) += static_cast<double>(rows) + 1;
  }
  [[nodiscard]] double& at(std::size_t i, std::size_t j) { return elements_[i * rows_ + j]; }
  [[nodiscard]] double at(std::size_t i, std::size_t j) const { return elements_[i * rows_ + j]; }
  [[nodiscard]] double* data() { return elements_.data(); }
  [[nodiscard]] const double* data() const { return elements_.data(); }
  [[nodiscard]] std::size_t rows() const { return rows_; }

  template <class Keep>
  [[nodiscard]] tile kept(const Keep& keep) const {
    tile made(rows_);
    for (std::size_t i = 0; i < rows_; ++i)
      for (std::size_t j = 0; j < rows_; ++j)
        if (keep(i, j)) made.at(i, j) = at(i, j);
    return made;
  }
  [[nodiscard]] tile lower() const {
    return kept([](std::size_t i, std::size_t j) { return i >= j; });
  }
  [[nodiscard]] tile upper() const {
    return kept([](std::size_t i, std::size_t j) { return i <= j; });
  }
  [[nodiscard]] tile unit_lower() const {
    tile made = lower();
    for (std::size_t i = 0; i < rows_; ++i) made.at(i, i) = 1;
    return made;
  }
  [[nodiscard]] tile transposed() const {
    tile made(rows_);
    for (std::size_t i = 0; i < rows_; ++i)
      for (std::size_t j = 0; j < rows_; ++j) made.at(j, i) = at(i, j);
    return made;
  }
  friend tile operator*(const tile& a, const tile& b) {
    tile made(a.rows_);
    for (std::size_t i = 0; i < a.rows_; ++i)
      for (std::size_t j = 0; j < a.rows_; ++j)
        for (std::size_t k = 0; k < a.rows_; ++k) made.at(i, j) += a.at(i, k) * b.at(k, j);
    return made;
  }
  friend tile operator-(const tile& a, const tile& b) {
    tile made = a;
    for (std::size_t i = 0; i < made.elements_.size(); ++i) made.elements_[i] -= b.elements_[i];
    return made;
  }

 private:
  std::size_t rows_;
  std::vector<double> elements_;
};

void expect_near(const tile& found, const tile& right) {
  for (std::size_t i = 0; i < right.rows(); ++i)
    for (std::size_t j = 0; j < right.rows(); ++j) ASSERT_NEAR(found.at(i, j), right.at(i, j), 1e-9) << i << ", " << j;
}

/// Calls check(kernels, rows) for the kernels that there are.
template <class Check>
void for_all_kernels(const Check& check) {
  for (const tile_kernels* const by : {&own_tile_kernels(), openblas_tile_kernels()}) {
    if (by == nullptr) continue;
    for (const std::size_t rows : {1U, 2U, 7U, 32U}) {
      SCOPED_TRACE(std::string(by->name) + ", " + std::to_string(rows));
      check(*by, rows);
    }
  }
}

TEST(tile_kernels, subtract_products) {
  for_all_kernels([](const tile_kernels& by, std::size_t rows) {
    const tile a(rows, 1), b(rows, 2), before(rows, 3);
    tile c = before;
    by.subtract_product(a.data(), b.data(), c.data(), rows);
    expect_near(c, before - a * b);
    c = before;
    by.subtract_transposed_product(a.data(), b.data(), c.data(), rows);
    expect_near(c, before - a * b.transposed());
  });
}

TEST(tile_kernels, solve_by_triangles_whatever_the_other_triangle_holds) {
  for_all_kernels([](const tile_kernels& by, std::size_t rows) {
    const tile by_this(rows, 1), before(rows, 2);
    tile x = before;
    by.solve_right_transposed(by_this.data(), x.data(), rows);
    expect_near(x * by_this.lower().transposed(), before);
    x = before;
    by.solve_right_upper(by_this.data(), x.data(), rows);
    expect_near(x * by_this.upper(), before);
    x = before;
    tile small = by_this;
    for (std::size_t i = 0; i < rows * rows; ++i) small.data()[i] /= static_cast<double>(rows);
    by.solve_left_unit(small.data(), x.data(), rows);
    expect_near(small.unit_lower() * x, before);
  });
}

TEST(tile_kernels, factor) {
  for (const std::size_t rows : {1U, 2U, 7U, 32U}) {
    const tile any(rows, 4);
    const tile symmetric = any * any.transposed();
    tile found = symmetric;
    factor_symmetric(found.data(), rows);
    expect_near(found, found.lower());
    expect_near(found * found.transposed(), symmetric);
    found = any;
    factor_general(found.data(), rows);
    expect_near(found.unit_lower() * found.upper(), any);
  }
}

}  // namespace
}  // namespace nearfork::workloads

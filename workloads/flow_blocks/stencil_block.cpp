#include "workloads/flow_blocks/stencil_block.hpp"

#include <vector>

namespace nearfork::workloads {
namespace {

/// Where a row gets its neighbours from.
template <std::size_t Rows>
struct row_neighbours {
  double left;
  double right;
  std::array<const double*, Rows> rows;  // of the other dimensions

  [[nodiscard]] double sum(std::size_t x) const noexcept {
    double made = 0;
    for (const double* const row : rows) made += row[x];
    return made;
  }
  static constexpr double share = 1.0 / static_cast<double>(Rows + 3);
};

template <std::size_t Rows>
void jacobi_row(const double* from, double* __restrict to, std::size_t count, const row_neighbours<Rows>& near) {
  const row_neighbours<Rows> at = near;
  const auto mean = [&](double left, double right, std::size_t x) {
    return (left + from[x] + right + at.sum(x)) * at.share;
  };
  if (count == 1) {
    to[0] = mean(at.left, at.right, 0);
    return;
  }
  to[0] = mean(at.left, from[1], 0);
  for (std::size_t x = 1; x + 1 < count; ++x) to[x] = mean(from[x - 1], from[x + 1], x);
  to[count - 1] = mean(from[count - 2], at.right, count - 1);
}

template <std::size_t Rows>
void seidel_row(const double* from, double* to, std::size_t count, const row_neighbours<Rows>& near) {
  const row_neighbours<Rows> at = near;
  double left = at.left;
  for (std::size_t x = 0; x < count; ++x) {
    const double others = from[x] + (x + 1 < count ? from[x + 1] : at.right) + at.sum(x);
    left = (left + others) * at.share;
    to[x] = left;
  }
}

enum class sweep_order { jacobi, seidel };

template <sweep_order Order, std::size_t Dimensions>
class sweep {
 public:
  explicit sweep(const stencil_block& block) : block_(block), outside_(Dimensions > 1 ? block.shape[0] : 0, 0.0) {}

  void run() const {
    for (std::size_t z = 0; z < block_.shape[2]; ++z)
      for (std::size_t y = 0; y < block_.shape[1]; ++y) {
        constexpr std::size_t rows = 2 * (Dimensions - 1);
        const row_neighbours<rows> near{element(0, y, z), element(1, y, z), rows_beside(y, z)};
        const std::size_t begin = row_at(y, z);
        if constexpr (Order == sweep_order::jacobi)
          jacobi_row<rows>(block_.from + begin, block_.to + begin, block_.shape[0], near);
        else seidel_row<rows>(block_.from + begin, block_.to + begin, block_.shape[0], near);
      }
  }

 private:
  [[nodiscard]] std::size_t row_at(std::size_t y, std::size_t z) const noexcept {
    return block_.shape[0] * (y + block_.shape[1] * z);
  }
  [[nodiscard]] double element(std::size_t side, std::size_t y, std::size_t z) const noexcept {
    const stencil_face& face = block_.faces[0][side];
    return face.first == nullptr ? 0.0 : face.first[(y + block_.shape[1] * z) * face.stride];
  }
  [[nodiscard]] const double* row(const stencil_face& face, std::size_t number) const noexcept {
    return face.first == nullptr ? outside_.data() : face.first + number * face.stride;
  }
  [[nodiscard]] auto rows_beside(std::size_t y, std::size_t z) const noexcept {
    std::array<const double*, 2 * (Dimensions - 1)> rows{};
    const double* const before = Order == sweep_order::jacobi ? block_.from : block_.to;
    if constexpr (Dimensions >= 2) {
      rows[0] = y > 0 ? before + row_at(y - 1, z) : row(block_.faces[1][0], z);
      rows[1] = y + 1 < block_.shape[1] ? block_.from + row_at(y + 1, z) : row(block_.faces[1][1], z);
    }
    if constexpr (Dimensions == 3) {
      rows[2] = z > 0 ? before + row_at(y, z - 1) : row(block_.faces[2][0], y);
      rows[3] = z + 1 < block_.shape[2] ? block_.from + row_at(y, z + 1) : row(block_.faces[2][1], y);
    }
    return rows;
  }

  const stencil_block& block_;
  std::vector<double> outside_;
};

template <sweep_order Order>
void run_sweep(const stencil_block& block, unsigned dimensions) {
  if (dimensions == 1) sweep<Order, 1>(block).run();
  else if (dimensions == 2) sweep<Order, 2>(block).run();
  else sweep<Order, 3>(block).run();
}

}  // namespace

void jacobi_block(const stencil_block& block, unsigned dimensions) {
  run_sweep<sweep_order::jacobi>(block, dimensions);
}

void seidel_block(const stencil_block& block, unsigned dimensions) {
  run_sweep<sweep_order::seidel>(block, dimensions);
}

}  // namespace nearfork::workloads

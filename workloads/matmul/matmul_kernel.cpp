#include "workloads/matmul/matmul.hpp"

namespace nearfork::workloads {
namespace {

/// Four rows of B at once, so that C is loaded and stored once for eight operations.
void add_four(const double* a, const double* b, double* __restrict c, std::size_t columns,
              std::size_t stride) noexcept {
  const double* const b1 = b + stride;
  const double* const b2 = b1 + stride;
  const double* const b3 = b2 + stride;
  for (std::size_t j = 0; j < columns; ++j) c[j] += a[0] * b[j] + a[1] * b1[j] + a[2] * b2[j] + a[3] * b3[j];
}

void add_one(const double* a, const double* b, double* __restrict c, std::size_t columns) noexcept {
  for (std::size_t j = 0; j < columns; ++j) c[j] += a[0] * b[j];
}

}  // namespace

void multiply_block(const matmul_task& task) noexcept {
  for (std::size_t i = 0; i < task.rows; ++i) {
    const double* const a = task.a + i * task.stride;
    double* const c = task.c + i * task.stride;
    std::size_t k = 0;
    for (; k + 4 <= task.inner; k += 4) add_four(a + k, task.b + k * task.stride, c, task.columns, task.stride);
    for (; k < task.inner; ++k) add_one(a + k, task.b + k * task.stride, c, task.columns);
  }
}

}  // namespace nearfork::workloads

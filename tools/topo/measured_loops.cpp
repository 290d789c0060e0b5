#include "tools/topo/measured_loops.hpp"

namespace nearfork::tools {
namespace {

constexpr double aside = 0.1;
constexpr double across = 0.15;

void sweep_row(const double* from, double* __restrict to, std::size_t columns) noexcept {
  const double* const above = from - columns;
  const double* const below = from + columns;
  for (std::size_t x = 1; x + 1 < columns; ++x)
    to[x] = across * (above[x] + below[x]) + aside * (from[x - 1] + from[x + 1]);
}

void sweep_half_row(const double* from, double* __restrict to, std::size_t columns) noexcept {
  const double* const above = from - columns;
  const double* const below = from + columns;
  for (std::size_t x = 1; x + 1 < columns; x += 2)
    to[x] = across * (above[x] + below[x]) + aside * (from[x - 1] + from[x + 1]);
}

void subtract_row(const double* from, double* __restrict to, std::size_t columns) noexcept {
  for (std::size_t x = 1; x + 1 < columns; ++x) to[x] -= aside * from[x];
}

void smooth_row(const double* from, double* __restrict to, std::size_t columns) noexcept {
  for (std::size_t x = 1; x + 1 < columns; ++x) to[x] = from[x] + aside * (from[x - 1] + from[x + 1] - 2 * from[x]);
}

void blur_row(const double* from, double* __restrict to, std::size_t columns) noexcept {
  const double* const above = from - columns;
  const double* const below = from + columns;
  for (std::size_t x = 1; x + 1 < columns; ++x)
    to[x] = across * (above[x - 1] + above[x] + above[x + 1] + below[x - 1] + below[x] + below[x + 1]) +
            aside * (from[x - 1] + from[x] + from[x + 1]);
}

template <class Row>
void for_inner_rows(const double* from, double* to, std::size_t rows, std::size_t columns, const Row& compute) {
  for (std::size_t row = 1; row + 1 < rows; ++row) compute(from + row * columns, to + row * columns, columns);
}

}  // namespace

void mixed_loops(const double* from, double* to, std::size_t rows, std::size_t columns) noexcept {
  for_inner_rows(from, to, rows, columns, subtract_row);
  for_inner_rows(from, to, rows, columns, smooth_row);
  for_inner_rows(from, to, rows, columns, blur_row);
}

void sweep_all(const double* from, double* to, std::size_t rows, std::size_t columns) noexcept {
  for_inner_rows(from, to, rows, columns, sweep_row);
}

void sweep_every_second(const double* from, double* to, std::size_t rows, std::size_t columns) noexcept {
  for_inner_rows(from, to, rows, columns, sweep_half_row);
}

std::uint64_t count_by_branches(std::span<const std::uint8_t> bytes) noexcept {
  std::uint64_t taken = 0;
  for (const std::uint8_t one : bytes)
    if (one != 0) {
      ++taken;
      asm volatile("" : "+r"(taken));  // else the compiler removes the branch
    }
  return taken;
}

}  // namespace nearfork::tools

#include "workloads/ge/ge.hpp"

#include <algorithm>

#include "workloads/numbers_by_index.hpp"

namespace nearfork::workloads {
namespace {

/// A-CAB's size has 200 iterations, as all its programs. LAWS does not give a number, so its size has the whole
/// elimination.
size_table<grid_size> ge_sizes() {
  const auto square = [](std::uint64_t size, std::uint64_t iterations) {
    return grid_size{.slabs = size, .iterations = iterations};
  };
  return {{{&grid_size::slabs, {"size", "rows and columns of the matrix", 2, std::uint64_t{1} << 24}},
           {&grid_size::iterations,
            {"iterations", "columns that are eliminated; past the last nothing is left to do", 1, 1'000'000}}},
          {{"default", square(1536, 1535)},
           {"small", square(512, 511)},
           {"test", square(67, 66)},
           {"a-cab", square(1024, 200)},
           {"laws", square(2048, 2047)}}};
}

slab_range rows_below_pivot(const grid_extent& extent, std::uint64_t iteration) {
  return {std::min<std::size_t>(iteration + 1, extent.slabs), extent.slabs};
}

/// Each row's diagonal is larger than the sum of the rest, so no pivot comes near zero.
void fill(const grid_extent& extent, std::uint64_t seed, slab_range slabs, double* cells) {
  const numbers_by_index numbers(seed);
  for (std::size_t at = slabs.first * extent.columns; at < slabs.last * extent.columns; ++at)
    cells[at] = numbers.between(at, -1, 1);
  for (std::size_t row = slabs.first; row < slabs.last; ++row)
    cells[row * extent.columns + row] += static_cast<double>(extent.slabs) + 1;
}

/// Row by row: each row is finished, with the finished rows above it, before the next one begins.
std::vector<double> answer(const grid_extent& extent, std::uint64_t iterations, std::vector<double> cells) {
  const auto at = [&](std::size_t row, std::size_t column) -> double& { return cells[row * extent.columns + column]; };
  for (std::size_t row = 1; row < extent.slabs; ++row)
    for (std::size_t done = 0; done < std::min<std::size_t>(row, iterations); ++done) {
      at(row, done) /= at(done, done);
      for (std::size_t column = done + 1; column < extent.columns; ++column)
        at(row, column) -= at(row, done) * at(done, column);
    }
  return cells;
}

}  // namespace

const grid_program& ge_program() {
  static const grid_program program{.name = "ge",
                                    .description = "Gaussian elimination, in place",
                                    .order = grid_order::in_place,
                                    .sizes = ge_sizes(),
                                    .compute = ge_rows,
                                    .changes = rows_below_pivot,
                                    .fill = fill,
                                    .answer = answer};
  return program;
}

}  // namespace nearfork::workloads

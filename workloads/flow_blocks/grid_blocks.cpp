#include "workloads/flow_blocks/grid_blocks.hpp"

#include <algorithm>

#include "workloads/difference.hpp"
#include "workloads/input_numbers.hpp"

namespace nearfork::workloads {

block_grid grid_blocks_size::grid() const noexcept {
  const auto narrow = [](std::uint64_t number) { return static_cast<std::uint32_t>(number); };
  return {{narrow(x_blocks), narrow(y_blocks), narrow(z_blocks)}, {narrow(x), narrow(y), narrow(z)}};
}

whole_grid::whole_grid(const block_grid& grid) : grid_(grid), extent_{} {
  for (std::size_t i = 0; i < 3; ++i) extent_[i] = std::size_t{grid.blocks[i]} * grid.shape[i];
}

std::size_t whole_grid::row_at(std::uint32_t block, std::size_t y, std::size_t z) const noexcept {
  const auto at = grid_.place(block);
  const auto first = [&](std::size_t dimension) { return std::size_t{at[dimension]} * grid_.shape[dimension]; };
  return first(0) + extent_[0] * (first(1) + y + extent_[1] * (first(2) + z));
}

void whole_grid::put(std::uint32_t block, const double* from, std::vector<double>& all) const {
  for (std::size_t z = 0; z < grid_.shape[2]; ++z)
    for (std::size_t y = 0; y < grid_.shape[1]; ++y, from += grid_.shape[0])
      std::copy(from, from + grid_.shape[0], all.data() + row_at(block, y, z));
}

void whole_grid::get(std::uint32_t block, const std::vector<double>& all, double* to) const {
  for (std::size_t z = 0; z < grid_.shape[2]; ++z)
    for (std::size_t y = 0; y < grid_.shape[1]; ++y)
      to = std::copy_n(all.data() + row_at(block, y, z), grid_.shape[0], to);
}

std::string whole_grid::difference_of(std::span<const std::byte* const> blocks, const std::vector<double>& right,
                                      double tolerance) const {
  std::vector<double> wanted(grid_.block_elements());
  for (std::uint32_t block = 0; block < blocks.size(); ++block) {
    get(block, right, wanted.data());
    const std::span answer(reinterpret_cast<const double*>(blocks[block]), wanted.size());
    std::string text = difference("block " + std::to_string(block) + ", element", answer, wanted, tolerance);
    if (!text.empty()) return text;
  }
  return {};
}

void fill_with_numbers(std::uint64_t seed, std::uint32_t block, std::span<double> elements) {
  input_numbers numbers(seed * 0x9e37'79b9'7f4a'7c15 + block);
  for (double& one : elements) one = numbers.unit();
}

}  // namespace nearfork::workloads

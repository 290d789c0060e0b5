#include "workloads/flow_programs/tile_matrix.hpp"

#include "workloads/difference.hpp"

namespace nearfork::workloads {

const size_table<tile_size>& tile_sizes() {
  static const size_table<tile_size> table{
      {{&tile_size::tiles, {"tiles", "tiles in a row and in a column", 1, 1 << 12}},
       {&tile_size::rows, {"rows", "rows and columns of a tile", 1, 1 << 13}}},
      {{"default", {16, 128}}, {"small", {8, 64}}, {"test", {5, 9}}, {"drebes", {32, 256}}}};
  return table;
}

double made_up_matrix::at(std::size_t row, std::size_t column) const noexcept {
  // Steele et al.'s SplitMix64, of the element's number.
  std::uint64_t mixed = (seed_ * extent_ + row) * extent_ + column + 0x9e37'79b9'7f4a'7c15;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58'476d'1ce4'e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d0'49bb'1331'11eb;
  const double number = static_cast<double>((mixed ^ (mixed >> 31)) >> 11) * 0x1p-52 - 1;
  return row == column ? number + static_cast<double>(extent_) + 1 : number;
}

std::vector<double> probe_vector(std::size_t extent) {
  std::vector<double> made(extent);
  for (std::size_t i = 0; i < extent; ++i) made[i] = 1 + static_cast<double>(i * 7919 % 1024) / 1024;
  return made;
}

std::string product_difference(const std::vector<double>& found, const std::vector<double>& right) {
  return difference("row product", found, right, 1e-9 * static_cast<double>(right.size()));
}

}  // namespace nearfork::workloads

#include "workloads/flow_blocks/block_faces.hpp"

#include <algorithm>

namespace nearfork::workloads {
namespace {

struct layer {
  std::size_t first;   // element
  std::size_t stride;  // to the next element or row
  std::size_t length;  // of a row
  std::size_t count;   // of rows
};

layer layer_of(const block_grid& grid, std::uint32_t part) {
  if (part == corner_part) return {0, 1, 1, 1};
  const std::size_t x = grid.shape[0], y = grid.shape[1], z = grid.shape[2];
  const std::uint32_t dimension = (part - 1) / 2;
  const bool is_last = static_cast<side>((part - 1) % 2) == side::upper;  // of the block's layers
  switch (dimension) {
    case 0: return {is_last ? x - 1 : 0, x, 1, y * z};
    case 1: return {is_last ? (y - 1) * x : 0, y * x, x, z};
    default: return {is_last ? (z - 1) * y * x : 0, x, x, y};
  }
}

}  // namespace

stencil_face face_in(const block_grid& grid, const flow_item& from) {
  const layer of = layer_of(grid, from.part);
  const auto* const data = from.as<const double>();
  return from.is_in_block ? stencil_face{data + of.first, of.stride} : stencil_face{data, of.length};
}

void copy_face(const block_grid& grid, const flow_item& to, const double* block) {
  const layer of = layer_of(grid, to.part);
  auto* next = to.as<double>();
  for (std::size_t row = 0; row < of.count; ++row) {
    const double* const begin = block + of.first + row * of.stride;
    next = std::copy(begin, begin + of.length, next);
  }
}

}  // namespace nearfork::workloads

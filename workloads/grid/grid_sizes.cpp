#include "workloads/grid/grid_sizes.hpp"

namespace nearfork::workloads {
namespace {

using table = size_table<grid_size>;

table::member extent_field(std::uint64_t grid_size::* number, const char* name, const char* meaning, std::size_t radius,
                           std::uint64_t most) {
  return {number, {name, meaning, 2 * radius + 1, most}};
}

constexpr std::uint64_t most_cells = std::uint64_t{1} << 24;  // along one axis
constexpr std::uint64_t most_in_plane = std::uint64_t{1} << 14;

table::member iterations_field() {
  return {&grid_size::iterations, {"iterations", "times that all cells are computed", 1, 1'000'000}};
}

}  // namespace

table matrix_sizes(std::size_t radius, std::uint64_t default_iterations, unsigned grids) {
  return {{extent_field(&grid_size::slabs, "rows", "rows of the grid, the border included", radius, most_cells),
           extent_field(&grid_size::columns, "columns", "columns of the grid, the border included", radius, most_cells),
           iterations_field()},
          {{"default", {2048, 1, 1024, default_iterations}},
           {"small", {512, 1, 512, 20}},
           {"test", {67, 1, 41, 5}},
           {"a-cab", {1024, 1, 512, 200}},
           {"laws", {8096, 1, 1024, 200}},
           {"64mib", {8192 / grids, 1, 1024, 40}},
           {"1gib", {32768 / grids, 1, 4096, 8}}}};
}

table cuboid_sizes(std::size_t radius, std::uint64_t default_iterations, unsigned grids) {
  return {
      {extent_field(&grid_size::slabs, "planes", "planes of the grid, the border included", radius, most_cells),
       extent_field(&grid_size::rows, "rows", "rows of a plane, the border included", radius, most_in_plane),
       extent_field(&grid_size::columns, "columns", "columns of a plane, the border included", radius, most_in_plane),
       iterations_field()},
      {{"default", {512, 64, 64, default_iterations}},
       {"small", {128, 64, 64, 20}},
       {"test", {70, 11, 13, 3}},
       {"laws", {8096, 64, 64, 200}},
       {"64mib", {2048 / grids, 64, 64, 40}},
       {"1gib", {8192 / grids, 128, 128, 8}}}};
}

}  // namespace nearfork::workloads

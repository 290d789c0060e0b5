#include "workloads/flow_programs/stencil_program.hpp"

#include "workloads/flow_blocks/block_faces.hpp"
#include "workloads/flow_blocks/grid_blocks.hpp"

namespace nearfork::workloads {
namespace {

constexpr double element_tolerance = 1e-9;  // elements are at most 1

enum class stencil_kind : std::uint8_t { jacobi, seidel };

/// The mean of an element and its neighbours in the whole grid.
class plain_stencil {
 public:
  plain_stencil(const whole_grid& grid, std::uint32_t dimensions) : extent_(grid.extent()), dimensions_(dimensions) {}

  void sweep(const std::vector<double>& from, std::vector<double>& to) const {
    std::size_t element = 0;
    std::array<std::size_t, 3> at{};
    for (at[2] = 0; at[2] < extent_[2]; ++at[2])
      for (at[1] = 0; at[1] < extent_[1]; ++at[1])
        for (at[0] = 0; at[0] < extent_[0]; ++at[0], ++element) to[element] = mean(from, at, element);
  }

 private:
  [[nodiscard]] double mean(const std::vector<double>& from, const std::array<std::size_t, 3>& at,
                            std::size_t element) const {
    double sum = from[element];
    std::size_t step = 1;
    for (std::size_t d = 0; d < dimensions_; step *= extent_[d++]) {
      if (at[d] > 0) sum += from[element - step];
      if (at[d] + 1 < extent_[d]) sum += from[element + step];
    }
    return sum / (2.0 * dimensions_ + 1);
  }

  std::array<std::size_t, 3> extent_;
  std::uint32_t dimensions_;
};

class flow_stencil final : public flow_program {
 public:
  flow_stencil(stencil_kind kind, std::uint32_t dimensions, const grid_blocks_size& size, std::uint64_t seed)
      : flow_program(kind == stencil_kind::jacobi
                         ? jacobi_pattern(size.grid(), static_cast<std::uint32_t>(size.iterations))
                         : seidel_pattern(size.grid(), static_cast<std::uint32_t>(size.iterations))),
        kind_(kind),
        dimensions_(dimensions),
        grid_(size.grid()),
        whole_(grid_),
        seed_(seed),
        right_(answer(size.iterations)) {}

  void fill(std::uint32_t block, std::byte* data) const override {
    fill_with_numbers(seed_, block, {reinterpret_cast<double*>(data), grid_.block_elements()});
  }

  void compute(const flow_call& call) const override {
    stencil_block block{.shape = {grid_.shape[0], grid_.shape[1], grid_.shape[2]},
                        .from = call.inputs.front().as<const double>(),
                        .to = call.outputs.front().as<double>(),
                        .faces = {}};
    for (const flow_item& face : call.inputs.subspan(1)) {
      const std::uint32_t number = face.part - 1;
      block.faces[number / 2][static_cast<std::size_t>(opposite(static_cast<side>(number % 2)))] = face_in(grid_, face);
    }
    if (kind_ == stencil_kind::jacobi) jacobi_block(block, dimensions_);
    else seidel_block(block, dimensions_);
  }

  void copy_part(const flow_item& to, const std::byte* block) const override {
    copy_face(grid_, to, reinterpret_cast<const double*>(block));
  }

  [[nodiscard]] std::string fault(std::span<const std::byte* const> blocks) const override {
    return whole_.difference_of(blocks, right_, element_tolerance);
  }

  void corrupt(std::uint32_t /*block*/, std::byte* data, std::uint64_t where) const override {
    reinterpret_cast<double*>(data)[where % grid_.block_elements()] += 1e-6;
  }

 private:
  [[nodiscard]] std::vector<double> answer(std::uint64_t iterations) const {
    std::vector<double> cells(whole_.size()), block(grid_.block_elements());
    for (std::uint32_t i = 0; i < grid_.size(); ++i) {
      fill_with_numbers(seed_, i, block);
      whole_.put(i, block.data(), cells);
    }
    const plain_stencil plain(whole_, dimensions_);
    std::vector<double> other(kind_ == stencil_kind::jacobi ? cells.size() : 0);
    for (std::uint64_t i = 0; i < iterations; ++i) {
      plain.sweep(cells, kind_ == stencil_kind::jacobi ? other : cells);
      if (kind_ == stencil_kind::jacobi) cells.swap(other);
    }
    return cells;
  }

  stencil_kind kind_;
  std::uint32_t dimensions_;
  block_grid grid_;
  whole_grid whole_;
  std::uint64_t seed_;
  std::vector<double> right_;
};

constexpr std::uint64_t most_blocks = 1 << 14, most_elements = 1 << 16, most_iterations = 1'000'000;

size_table<grid_blocks_size> table_of(std::uint32_t dimensions,
                                      std::vector<size_table<grid_blocks_size>::named> named) {
  using size = grid_blocks_size;
  size_table<size> table{{{&size::x_blocks, {"x_blocks", "blocks side by side", 1, most_blocks}},
                          {&size::y_blocks, {"y_blocks", "blocks in the second dimension", 1, most_blocks}},
                          {&size::z_blocks, {"z_blocks", "blocks in the third dimension", 1, most_blocks}},
                          {&size::x, {"x", "elements of a block side by side", 1, most_elements}},
                          {&size::y, {"y", "rows of a block", 1, most_elements}},
                          {&size::z, {"z", "planes of a block", 1, most_elements}},
                          {&size::iterations, {"iterations", "sweeps over the grid", 1, most_iterations}}},
                         std::move(named)};
  std::erase_if(table.members, [&](const auto& one) {
    const bool is_of_third = one.number == &size::z || one.number == &size::z_blocks;
    const bool is_of_second = one.number == &size::y || one.number == &size::y_blocks;
    return (dimensions < 3 && is_of_third) || (dimensions < 2 && is_of_second);
  });
  return table;
}

flow_extent extent_of(const grid_blocks_size& size, stencil_kind kind) {
  const double blocks =
      static_cast<double>(size.x_blocks) * static_cast<double>(size.y_blocks) * static_cast<double>(size.z_blocks);
  return {.blocks = blocks,
          .block_bytes = static_cast<double>(sizeof(double)) * static_cast<double>(size.x) *
                         static_cast<double>(size.y) * static_cast<double>(size.z),
          .tasks = blocks * (static_cast<double>(size.iterations) + 2),
          .values_of_task = 7,
          .arrays = kind == stencil_kind::jacobi ? 2.0 : 1.0};
}

std::vector<workload> workloads_of(stencil_kind kind, std::uint32_t dimensions,
                                   const size_table<grid_blocks_size>& table) {
  const bool is_jacobi = kind == stencil_kind::jacobi;
  const std::string with = std::to_string(2 * dimensions + 1) + "-point mean in " + std::to_string(dimensions) +
                           (dimensions == 1 ? " dimension" : " dimensions");
  return flow_workloads_of(
      {.name = (is_jacobi ? "jacobi-" : "seidel-") + std::to_string(dimensions) + "d",
       .text = with + (is_jacobi ? ", of the values of the sweep before" : ", in place, as a wavefront")},
      table,
      [=](const grid_blocks_size& size, std::uint64_t seed) -> std::unique_ptr<flow_program> {
        return std::make_unique<flow_stencil>(kind, dimensions, size, seed);
      },
      [=](const grid_blocks_size& size) { return extent_of(size, kind); });
}

/// Blocks, the shape of a block, iterations; "drebes" is the size of table 3 for the Opteron.
size_table<grid_blocks_size> sizes_of(stencil_kind kind, std::uint32_t dimensions) {
  const bool is_jacobi = kind == stencil_kind::jacobi;
  switch (dimensions) {
    case 1:
      return table_of(1, {{"default", {64, 1, 1, 1 << 15, 1, 1, 20}},
                          {"small", {16, 1, 1, 1 << 12, 1, 1, 20}},
                          {"test", {7, 1, 1, 37, 1, 1, 5}},
                          {"drebes", {1 << 12, 1, 1, 1 << 16, 1, 1, 60}}});
    case 2:
      return table_of(2, {{"default", {16, 16, 1, 128, 128, 1, 20}},
                          {"small", {8, 8, 1, 64, 64, 1, 20}},
                          {"test", {4, 3, 1, 7, 5, 1, 5}},
                          {"drebes", is_jacobi ? grid_blocks_size{16, 256, 1, 1 << 10, 1 << 6, 1, 60}
                                               : grid_blocks_size{64, 64, 1, 1 << 8, 1 << 8, 1, 60}}});
    default:
      return table_of(3, {{"default", {4, 8, 8, 32, 16, 16, 20}},
                          {"small", {4, 4, 4, 16, 8, 8, 20}},
                          {"test", {3, 2, 3, 4, 3, 2, 4}},
                          {"drebes", is_jacobi ? grid_blocks_size{32, 8, 16, 1 << 5, 1 << 6, 1 << 5, 60}
                                               : grid_blocks_size{16, 16, 16, 1 << 6, 1 << 5, 1 << 5, 60}}});
  }
}

}  // namespace

std::vector<workload> stencil_flow_workloads() {
  std::vector<workload> all;
  for (const stencil_kind kind : {stencil_kind::jacobi, stencil_kind::seidel})
    for (const std::uint32_t dimensions : {1U, 2U, 3U}) {
      const auto made = workloads_of(kind, dimensions, sizes_of(kind, dimensions));
      all.insert(all.end(), made.begin(), made.end());
    }
  return all;
}

}  // namespace nearfork::workloads

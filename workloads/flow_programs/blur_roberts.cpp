#include "workloads/flow_programs/blur_roberts.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "workloads/flow_blocks/block_faces.hpp"
#include "workloads/flow_blocks/grid_blocks.hpp"
#include "workloads/flow_blocks/image_filters.hpp"
#include "workloads/flow_programs/flow_workload.hpp"

namespace nearfork::workloads {
namespace {

/// The same filters, element by element over the whole image. Outside it is black.
class plain_image {
 public:
  plain_image(std::size_t width, std::size_t height, std::vector<double> elements)
      : width_(width), height_(height), elements_(std::move(elements)) {}

  template <class Filter>
  [[nodiscard]] plain_image filtered(const Filter& filter) const {
    std::vector<double> made(elements_.size());
    for (std::size_t y = 0; y < height_; ++y)
      for (std::size_t x = 0; x < width_; ++x)
        made[y * width_ + x] = filter([&](int right, int down) { return at(x, right, y, down); });
    return {width_, height_, std::move(made)};
  }
  [[nodiscard]] std::vector<double> elements() && { return std::move(elements_); }

 private:
  [[nodiscard]] double at(std::size_t x, int right, std::size_t y, int down) const {
    const std::size_t column = x + static_cast<std::size_t>(right), row = y + static_cast<std::size_t>(down);
    return column < width_ && row < height_ ? elements_[row * width_ + column] : 0.0;  // -1 wraps around
  }

  std::size_t width_, height_;
  std::vector<double> elements_;
};

/// A row of a block with the elements before and after it, from blocks that lie in a row in memory.
class row_reader {
 public:
  row_reader(const block_grid& grid, const double* blocks, std::uint32_t block)
      : grid_(grid), blocks_(blocks), block_(block), rows_{make_row(), make_row(), make_row()} {}

  /// Rows y - 1 to y + 1, from element 0 on; elements -1 and x are there, too. Call it for each y in turn. Valid until
  /// the next call.
  [[nodiscard]] std::array<const double*, 3> rows_around(std::size_t y) {
    if (y == 0) {
      read(0, rows_[1]);
      read(1, rows_[2]);
    }
    std::rotate(rows_.begin(), rows_.begin() + 1, rows_.end());
    read(y + 2, rows_[2]);
    return {rows_[0].data() + 1, rows_[1].data() + 1, rows_[2].data() + 1};
  }

 private:
  [[nodiscard]] std::vector<double> make_row() const { return std::vector<double>(grid_.shape[0] + 2); }

  /// `down` is counted from the last row of the blocks above.
  void read(std::size_t down, std::vector<double>& to) const {
    std::optional<std::uint32_t> block = block_;
    std::size_t y = down - 1;
    if (down == 0) {
      block = grid_.neighbour(block_, 1, side::lower);
      y = grid_.shape[1] - 1;
    } else if (y == grid_.shape[1]) {
      block = grid_.neighbour(block_, 1, side::upper);
      y = 0;
    }
    std::fill(to.begin(), to.end(), 0.0);
    if (!block) return;
    const std::size_t width = grid_.shape[0];
    const auto row_of = [&](std::uint32_t of) { return blocks_ + of * grid_.block_elements() + y * width; };
    std::copy(row_of(*block), row_of(*block) + width, to.data() + 1);
    if (const auto left = grid_.neighbour(*block, 0, side::lower)) to.front() = row_of(*left)[width - 1];
    if (const auto right = grid_.neighbour(*block, 0, side::upper)) to.back() = row_of(*right)[0];
  }

  const block_grid& grid_;
  const double* blocks_;
  std::uint32_t block_;
  std::array<std::vector<double>, 3> rows_;
};

class blur_roberts_program final : public flow_program {
 public:
  blur_roberts_program(const grid_blocks_size& size, std::uint64_t seed)
      : flow_program(blur_roberts_pattern(size.grid())),
        grid_(size.grid()),
        whole_(grid_),
        seed_(seed),
        right_(answer()) {}

  void fill(std::uint32_t block, std::byte* data) const override {
    fill_with_numbers(seed_, block, {reinterpret_cast<double*>(data), grid_.block_elements()});
  }

  void compute(const flow_call& call) const override {
    if (call.step.kernel == flow_kernel::blur) blur(call);
    else roberts(call);
  }

  void copy_part(const flow_item& to, const std::byte* block) const override {
    copy_face(grid_, to, reinterpret_cast<const double*>(block));
  }

  [[nodiscard]] std::string fault(std::span<const std::byte* const> blocks) const override {
    return whole_.difference_of(blocks, right_, 1e-9);
  }

  void corrupt(std::uint32_t /*block*/, std::byte* data, std::uint64_t where) const override {
    reinterpret_cast<double*>(data)[where % grid_.block_elements()] += 1e-6;
  }

 private:
  void blur(const flow_call& call) const {
    row_reader reader(grid_, reinterpret_cast<const double*>(call.initial), call.step.block);
    auto* to = call.outputs.front().as<double>();
    for (std::size_t y = 0; y < grid_.shape[1]; ++y, to += grid_.shape[0])
      blur_row(reader.rows_around(y), to, grid_.shape[0]);
  }

  void roberts(const flow_call& call) const {
    const std::size_t width = grid_.shape[0], height = grid_.shape[1];
    const auto* const own = call.inputs.front().as<const double>();
    stencil_face right, below, corner;
    for (const flow_item& one : call.inputs.subspan(1)) {
      stencil_face& face = one.part == corner_part ? corner : one.part == face_part(0, side::lower) ? right : below;
      face = face_in(grid_, one);
    }
    const std::vector<double> outside(width, 0.0);
    const auto after = [&](std::size_t y) {
      if (y == height) return corner.first == nullptr ? 0.0 : *corner.first;
      return right.first == nullptr ? 0.0 : right.first[y * right.stride];
    };
    auto* const to = reinterpret_cast<double*>(call.final_block);
    for (std::size_t y = 0; y < height; ++y) {
      const double* const outer = below.first == nullptr ? outside.data() : below.first;
      roberts_row(own + y * width, y + 1 < height ? own + (y + 1) * width : outer, after(y), after(y + 1),
                  to + y * width, width);
    }
  }

  [[nodiscard]] std::vector<double> answer() const {
    std::vector<double> cells(whole_.size()), block(grid_.block_elements());
    for (std::uint32_t i = 0; i < grid_.size(); ++i) {
      fill_with_numbers(seed_, i, block);
      whole_.put(i, block.data(), cells);
    }
    return plain_image(whole_.extent()[0], whole_.extent()[1], std::move(cells))
        .filtered([](const auto& at) {
          double sum = 0;
          for (const int down : {-1, 0, 1})
            for (const int right : {-1, 0, 1}) sum += (2 - std::abs(down)) * (2 - std::abs(right)) * at(right, down);
          return sum / 16;
        })
        .filtered([](const auto& at) { return std::hypot(at(0, 0) - at(1, 1), at(1, 0) - at(0, 1)); })
        .elements();
  }

  block_grid grid_;
  whole_grid whole_;
  std::uint64_t seed_;
  std::vector<double> right_;
};

}  // namespace

std::vector<workload> blur_roberts_workloads() {
  using size = grid_blocks_size;
  const size_table<size> table{{{&size::x_blocks, {"x_blocks", "blocks side by side", 1, 1 << 14}},
                                {&size::y_blocks, {"y_blocks", "rows of blocks", 1, 1 << 14}},
                                {&size::x, {"x", "elements of a block side by side", 1, 1 << 16}},
                                {&size::y, {"y", "rows of a block", 1, 1 << 16}}},
                               {{"default", {8, 32, 1, 256, 64, 1, 1}},
                                {"small", {4, 8, 1, 64, 32, 1, 1}},
                                {"test", {3, 4, 1, 5, 7, 1, 1}},
                                {"drebes", {64, 512, 1, 1 << 9, 1 << 6, 1, 1}}}};
  return flow_workloads_of(
      {.name = "blur-roberts", .text = "a Gaussian blur over 3 x 3 elements, then the Roberts cross"}, table,
      [](const size& of, std::uint64_t seed) -> std::unique_ptr<flow_program> {
        return std::make_unique<blur_roberts_program>(of, seed);
      },
      [](const size& of) -> flow_extent {
        const double blocks = static_cast<double>(of.x_blocks) * static_cast<double>(of.y_blocks);
        return {.blocks = blocks,
                .block_bytes = static_cast<double>(of.x) * static_cast<double>(of.y) * sizeof(double),
                .tasks = 2 * blocks,
                .values_of_task = 4};
      });
}

}  // namespace nearfork::workloads

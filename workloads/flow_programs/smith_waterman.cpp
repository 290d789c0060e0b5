#include "workloads/flow_programs/smith_waterman.hpp"

#include <algorithm>
#include <cstring>

#include "workloads/dataflow/patterns.hpp"
#include "workloads/flow_blocks/alignment_block.hpp"
#include "workloads/flow_programs/flow_workload.hpp"
#include "workloads/input_numbers.hpp"

namespace nearfork::workloads {
namespace {

struct alignment_size {
  std::uint64_t x_blocks = 1, y_blocks = 1;
  std::uint64_t x = 1, y = 1;  // letters of a block across and down

  [[nodiscard]] block_grid grid() const noexcept {
    const auto narrow = [](std::uint64_t number) { return static_cast<std::uint32_t>(number); };
    return {{narrow(x_blocks), narrow(y_blocks), 1}, {narrow(x), narrow(y), 1}};
  }
};

std::vector<std::uint8_t> letters(std::uint64_t count, std::uint64_t seed) {
  input_numbers numbers(seed);
  std::vector<std::uint8_t> made(count);
  for (std::uint8_t& one : made) one = static_cast<std::uint8_t>(numbers.below(4));
  return made;
}

/// The final data of a block are its best score.
class smith_waterman_program final : public flow_program {
 public:
  smith_waterman_program(const alignment_size& size, std::uint64_t seed)
      : flow_program(smith_waterman_pattern(size.grid())),
        grid_(size.grid()),
        across_(letters(size.x_blocks * size.x, 2 * seed)),
        down_(letters(size.y_blocks * size.y, 2 * seed + 1)),
        right_(answer()) {}

  void fill(std::uint32_t /*block*/, std::byte* /*data*/) const override {}

  void compute(const flow_call& call) const override {
    const auto at = grid_.place(call.step.block);
    alignment_block block{.down = down_.data() + std::size_t{at[1]} * grid_.shape[1],
                          .across = across_.data() + std::size_t{at[0]} * grid_.shape[0],
                          .rows = grid_.shape[1],
                          .columns = grid_.shape[0],
                          .above = nullptr,
                          .left = nullptr,
                          .corner = 0,
                          .last_row = nullptr,
                          .last_column = nullptr};
    for (const flow_item& from : call.inputs) {
      if (from.part == face_part(1, side::upper)) block.above = from.as<const score>();
      else if (from.part == face_part(0, side::upper)) block.left = from.as<const score>();
      else block.corner = *from.as<const score>();
    }
    score* corner = nullptr;
    std::vector<score> unread(grid_.shape[0] + std::size_t{grid_.shape[1]});  // of blocks without a neighbour there
    block.last_row = unread.data();
    block.last_column = unread.data() + grid_.shape[0];
    for (const flow_item& to : call.outputs) {
      if (to.part == face_part(1, side::upper)) block.last_row = to.as<score>();
      else if (to.part == face_part(0, side::upper)) block.last_column = to.as<score>();
      else corner = to.as<score>();
    }
    const score best = align_block(block);
    if (corner != nullptr) *corner = block.last_row[block.columns - 1];
    std::memcpy(call.final_block, &best, sizeof best);
  }

  [[nodiscard]] std::string fault(std::span<const std::byte* const> blocks) const override {
    for (std::uint32_t block = 0; block < blocks.size(); ++block) {
      score found = 0;
      std::memcpy(&found, blocks[block], sizeof found);
      if (found != right_[block])
        return "best score of block " + std::to_string(block) + " is " + std::to_string(found) + ", should be " +
               std::to_string(right_[block]);
    }
    return {};
  }

  void corrupt(std::uint32_t /*block*/, std::byte* data, std::uint64_t /*where*/) const override {
    ++*reinterpret_cast<score*>(data);
  }

 private:
  /// Row by row over the whole table, by the recurrence as the paper has it.
  [[nodiscard]] std::vector<score> answer() const {
    std::vector<score> best(grid_.size(), 0), above(across_.size() + 1, 0), row(across_.size() + 1, 0);
    for (std::size_t i = 0; i < down_.size(); ++i) {
      for (std::size_t j = 0; j < across_.size(); ++j) {
        const score letter = across_[j] == down_[i] ? alignment_scores::match : alignment_scores::mismatch;
        row[j + 1] = std::max(
            {score{0}, above[j] + letter, above[j + 1] - alignment_scores::gap, row[j] - alignment_scores::gap});
        score& of_block = best[j / grid_.shape[0] + i / grid_.shape[1] * grid_.blocks[0]];
        of_block = std::max(of_block, row[j + 1]);
      }
      above.swap(row);
    }
    return best;
  }

  block_grid grid_;
  std::vector<std::uint8_t> across_, down_;
  std::vector<score> right_;
};

}  // namespace

std::vector<workload> smith_waterman_workloads() {
  using size = alignment_size;
  const size_table<size> table{{{&size::x_blocks, {"x_blocks", "blocks side by side", 1, 1 << 14}},
                                {&size::y_blocks, {"y_blocks", "rows of blocks", 1, 1 << 14}},
                                {&size::x, {"x", "columns of a block: letters of the first text", 1, 1 << 16}},
                                {&size::y, {"y", "rows of a block: letters of the second text", 1, 1 << 16}}},
                               {{"default", {32, 32, 128, 128}}, {"small", {8, 8, 64, 64}}, {"test", {4, 5, 7, 3}}}};
  return flow_workloads_of(
      {.name = "smith-waterman", .text = "local alignment of two texts with 4 letters, as a wavefront"}, table,
      [](const size& of, std::uint64_t seed) -> std::unique_ptr<flow_program> {
        return std::make_unique<smith_waterman_program>(of, seed);
      },
      [](const size& of) -> flow_extent {
        const double blocks = static_cast<double>(of.x_blocks) * static_cast<double>(of.y_blocks);
        return {.blocks = blocks,
                .block_bytes = static_cast<double>(of.x + of.y + 64) * sizeof(score),
                .tasks = blocks,
                .values_of_task = 3};
      });
}

}  // namespace nearfork::workloads

#include <optional>
#include <vector>

#include "workloads/dataflow/patterns.hpp"

namespace nearfork::workloads {

flow_pattern smith_waterman_pattern(const block_grid& grid) {
  constexpr std::uint64_t score_bytes = 4;
  constexpr double operations_of_score = 10;  // loads, a comparison, additions, maxima, a store
  flow_pattern made(grid.size(), score_bytes, 1);
  struct handed_out {
    std::uint32_t row = 0, column = 0, corner = 0;
  };
  std::vector<handed_out> of(grid.size());
  for (std::uint32_t block = 0; block < grid.size(); ++block) {
    const auto left = grid.neighbour(block, 0, side::lower), above = grid.neighbour(block, 1, side::lower);
    const auto right = grid.neighbour(block, 0, side::upper), below = grid.neighbour(block, 1, side::upper);
    std::vector<std::uint32_t> inputs;
    if (left) inputs.push_back(of[*left].column);
    if (above) inputs.push_back(of[*above].row);
    if (left && above) inputs.push_back(of[*grid.neighbour(*left, 1, side::lower)].corner);
    flow_step align;
    align.kernel = flow_kernel::score;
    align.block = block;
    align.operations = operations_of_score * static_cast<double>(grid.block_elements());
    align.final_bytes = score_bytes;
    const std::uint32_t task = made.add(align, inputs);
    const auto hand_out = [&](std::uint64_t scores, std::uint32_t part) {
      return made.add_value(task, block, scores * score_bytes, flow_place::apart, part);
    };
    if (below) of[block].row = hand_out(grid.face_elements(1), face_part(1, side::upper));
    if (right) of[block].column = hand_out(grid.face_elements(0), face_part(0, side::upper));
    if (right && below) of[block].corner = hand_out(1, corner_part);
  }
  return made;
}

}  // namespace nearfork::workloads

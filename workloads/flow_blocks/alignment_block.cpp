#include "workloads/flow_blocks/alignment_block.hpp"

#include <algorithm>

namespace nearfork::workloads {

/// Keeps one row: what is not yet written of it is the row above.
score align_block(const alignment_block& block) {
  score* const row = block.last_row;
  if (block.above == nullptr) std::fill(row, row + block.columns, score{0});
  else std::copy(block.above, block.above + block.columns, row);
  score best = 0;
  score corner = block.corner;
  for (std::size_t i = 0; i < block.rows; ++i) {
    score left = block.left == nullptr ? 0 : block.left[i];
    score diagonal = corner;
    corner = left;
    for (std::size_t j = 0; j < block.columns; ++j) {
      const score same =
          diagonal + (block.down[i] == block.across[j] ? alignment_scores::match : alignment_scores::mismatch);
      diagonal = row[j];
      left = std::max({score{0}, same, std::max(row[j], left) - alignment_scores::gap});
      row[j] = left;
      best = std::max(best, left);
    }
    block.last_column[i] = left;
  }
  return best;
}

}  // namespace nearfork::workloads

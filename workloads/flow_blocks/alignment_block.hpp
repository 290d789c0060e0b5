// One block of the table of a local alignment (Smith and Waterman 1981), with a linear cost of gaps. In a file of its
// own, so that all contenders run the same code.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nearfork::workloads {

using score = std::int32_t;

struct alignment_scores {
  static constexpr score match = 2, mismatch = -1, gap = 1;
};

struct alignment_block {
  const std::uint8_t* down;    // letters, one for each row
  const std::uint8_t* across;  // one for each column
  std::size_t rows;
  std::size_t columns;
  const score* above;  // the row above; nullptr: zeros
  const score* left;   // the column at the left; nullptr: zeros
  score corner;        // above at the left
  score* last_row;     // written
  score* last_column;  // written
};

/// Best score of the block.
[[nodiscard]] score align_block(const alignment_block& block);

}  // namespace nearfork::workloads

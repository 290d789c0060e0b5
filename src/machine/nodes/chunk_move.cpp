#include "machine/nodes/chunk_move.hpp"

#include <algorithm>

namespace nearfork {

page_split with_moves(const page_split& split, std::uint64_t block, std::span<const chunk_move> moves) {
  page_split made;
  auto next = moves.begin();
  for (const page_run& run : split) {
    std::uint64_t done = run.begin;
    for (; next != moves.end(); ++next) {
      if (next->block != block || next->end <= done) continue;
      if (next->begin >= run.end) break;
      append_run(made, {done, std::max(done, next->begin), run.node});
      done = std::min(next->end, run.end);
      append_run(made, {std::max(run.begin, next->begin), done, next->to});
      if (next->end > run.end) break;  // the rest lies in the next run
    }
    append_run(made, {done, run.end, run.node});
  }
  return made;
}

}  // namespace nearfork

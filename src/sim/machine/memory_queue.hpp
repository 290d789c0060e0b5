// The bandwidth of one memory node: it serves one line after the other, for all cores.
//
// Lines are requested in batches, one batch per slice of a task, as if all were requested at the slice's begin. A
// worker is simulated one slice ahead of the others. If each line were queued at its own time, a line of another worker
// with an earlier virtual time, simulated later, would wait for lines that were requested after it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace nearfork::sim {

class memory_queue {
 public:
  explicit memory_queue(std::uint64_t line_ps) noexcept : line_ps_(line_ps) {}

  /// Returns when the last of `lines`, requested at `now_ps`, has been served.
  std::uint64_t serve(std::uint64_t now_ps, std::uint64_t lines) noexcept {
    free_at_ps_ = std::max(free_at_ps_, now_ps) + lines * line_ps_;
    return free_at_ps_;
  }

 private:
  std::uint64_t line_ps_;
  std::uint64_t free_at_ps_ = 0;
};

}  // namespace nearfork::sim

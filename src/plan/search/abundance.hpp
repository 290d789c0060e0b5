// Whether a worker without work in its domain would find some elsewhere: SAWS, section V.B.
#pragma once

#include <cstdint>

namespace nearfork {

/// What a worker that waits sees of all workers.
struct queues_seen {
  std::uint32_t deques = 0;
  std::uint32_t empty_deques = 0;
  bool pools_are_empty = true;
};

/// While most deques and all pools are empty, a thief would find little, and its power is of more use to the others.
[[nodiscard]] constexpr bool work_abounds(queues_seen now) noexcept {
  return !now.pools_are_empty || 2 * now.empty_deques <= now.deques;
}

}  // namespace nearfork

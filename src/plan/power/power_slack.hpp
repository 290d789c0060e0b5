// Power slack: what waiting cores do not use of the power that the machine uses when all cores work at their normal
// clocks. SAWS, section V. A core that waits may use its slack itself and fetch work from afar (power slack monopoly,
// PSM), or leave it to the cores that work, which raise their clocks (power slack distribution, PSD).
//
// A core at clock f draws lambda f^3 (equation 1).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nearfork {

/// What a core that waits sees of all workers.
struct queues_seen {
  std::uint32_t deques = 0;
  std::uint32_t empty_deques = 0;
  bool pools_are_empty = true;
};

/// Section V.B: while most deques and all pools are empty, a thief would find little, and PSD is better.
[[nodiscard]] constexpr bool work_abounds(queues_seen now) noexcept {
  return !now.pools_are_empty || 2 * now.empty_deques <= now.deques;
}

/// PSM pays where the data of the waiting core's domain leave room in its shared cache: stolen data stay there for the
/// next iteration. 0 cache bytes: not known.
[[nodiscard]] constexpr bool leaves_room(double data_bytes, double cache_bytes) noexcept {
  return data_bytes < cache_bytes;
}

/// The clocks that cores of one kind can have, in GHz.
struct clock_range {
  double least_ghz = 0;
  double normal_ghz = 0;
  double most_ghz = 0;
  double lambda = 1;  // W / GHz^3
};

/// Cores of one kind.
struct kind_load {
  clock_range clocks{};
  std::uint32_t cores = 0;
  std::uint32_t waiting = 0;
};

/// lambda f^3, in watts.
[[nodiscard]] double power_at(const clock_range& clocks, double ghz) noexcept;

/// The power of all cores at their normal clocks: P_N.
[[nodiscard]] double power_budget(std::span<const kind_load> kinds) noexcept;

/// The clocks of the cores that work, by kind, in GHz. Waiting cores have their least clock. The slack is shared
/// equally among the cores that work. What cores at their highest clock leave over is shared among the others.
[[nodiscard]] std::vector<double> clocks_by_slack(std::span<const kind_load> kinds);

}  // namespace nearfork

// The cores of a machine by kind: which clocks they can have, how much power they draw, and how many of them work.
//
// A core at clock f draws lambda f^3 on top of what it draws when idle (SAWS, equation 1).
#pragma once

#include <cstdint>
#include <span>

namespace nearfork {

/// The clocks that cores of one kind can have, in GHz.
struct clock_range {
  double least_ghz = 0;
  double normal_ghz = 0;
  double most_ghz = 0;
  double lambda = 1;  // W / GHz^3
  /// Work per cycle, as a fraction of what the fastest kind does; 1 where it is not known.
  double work_per_cycle = 1;
};

/// Cores of one kind.
struct kind_load {
  clock_range clocks{};
  std::uint32_t cores = 0;
  std::uint32_t waiting = 0;

  [[nodiscard]] std::uint32_t working() const noexcept { return cores - waiting; }
};

/// The clock of cores that work, in sixteenths of their normal clock.
using clock_step = std::uint8_t;
inline constexpr clock_step normal_step = 16;
/// In GHz; not below the core's least clock.
[[nodiscard]] double clock_at(clock_step step, const clock_range& clocks) noexcept;
/// The lowest step that makes a difference to some core: at the next lower one all have their least clocks. O(kinds).
[[nodiscard]] clock_step least_step(std::span<const kind_load> kinds) noexcept;

/// lambda f^3, in watts.
[[nodiscard]] double power_at(const clock_range& clocks, double ghz) noexcept;

/// The power of all cores at their normal clocks: P_N.
[[nodiscard]] double power_budget(std::span<const kind_load> kinds) noexcept;

}  // namespace nearfork

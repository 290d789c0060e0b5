// Chooses the clocks of simulated cores while a program runs: what a policy that shares power among working cores does.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/model/machine.hpp"
#include "sim/cores/core_pace.hpp"

namespace nearfork::sim {

/// The core runs at that clock `after_ps` from now on: at once, or after what a change of clocks takes.
struct clock_change {
  core_id core{};
  std::uint32_t mhz = 0;
  std::uint64_t after_ps = 0;
};

class clock_rule {
 public:
  clock_rule() = default;
  clock_rule(const clock_rule&) = delete;
  clock_rule& operator=(const clock_rule&) = delete;
  virtual ~clock_rule() = default;

  /// Asked whenever a core has begun to work or has stopped, which `cores` says (core_pace::busy_workers()); several
  /// cores may have at one time. Deterministic: same calls, same answers.
  [[nodiscard]] virtual std::vector<clock_change> choose(std::uint64_t now_ps, const core_pace& cores) = 0;
};

}  // namespace nearfork::sim

// Chooses the clocks of simulated cores while a program runs: what a policy that shares power among working cores does.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/model/machine.hpp"
#include "sim/cores/core_pace.hpp"

namespace nearfork::sim {

/// The core runs at that clock from now on.
struct clock_change {
  core_id core{};
  std::uint32_t mhz = 0;
};

class clock_rule {
 public:
  clock_rule() = default;
  clock_rule(const clock_rule&) = delete;
  clock_rule& operator=(const clock_rule&) = delete;
  virtual ~clock_rule() = default;

  /// How long after a core has begun to work or has stopped choose() is asked: what a change of clocks takes. What
  /// happens in the meantime is not asked about again.
  [[nodiscard]] virtual std::uint64_t delay_ps() const noexcept { return 0; }
  /// Which cores work now, `cores` says (core_pace::busy_workers()). Deterministic: same calls, same answers.
  [[nodiscard]] virtual std::vector<clock_change> choose(const core_pace& cores) = 0;
};

}  // namespace nearfork::sim

// How regions take part in the power of their runtime.
#pragma once

#include "plan/course/clock_search.hpp"
#include "runtime/clocks/worker_clocks.hpp"
#include "sensors/energy_meter.hpp"

namespace nearfork {

/// What the regions of a runtime may do about power.
struct region_power {
  energy_meter* meter = nullptr;    // nullptr: no energy is measured
  worker_clocks* clocks = nullptr;  // nullptr: no clock is set
  clock_rule_of_goal rule{};

  /// Of a region that is first met now: the clocks may have been given up since.
  [[nodiscard]] clock_rule_of_goal search_rule() const noexcept {
    return clocks != nullptr && clocks->is_stopped() ? clock_rule_of_goal{} : rule;
  }
};

}  // namespace nearfork

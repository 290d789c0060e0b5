// How a policy shares out the power of a machine among its cores, by their clocks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/clocks/kind_load.hpp"

namespace nearfork {

enum class clock_sharing : std::uint8_t {
  none,    // cores have their normal clocks, also while they wait
  slack,   // what waiting cores do not use goes to those that work: clocks_by_slack()
  pacing,  // most work for the power of all: paced_clocks()
};

/// How power is shared where clocks are managed, whatever the policy: if it shares nothing out, cores that wait would
/// waste power.
[[nodiscard]] constexpr clock_sharing where_managed(clock_sharing wanted) noexcept {
  return wanted == clock_sharing::none ? clock_sharing::slack : wanted;
}

/// The clocks of the cores of one kind, in GHz.
struct kind_clocks {
  double working_ghz = 0;
  double waiting_ghz = 0;
};

/// By kind. Unless nothing is shared, waiting cores have their least clock. Cores that are to work below their normal
/// clock, at `step`, get nothing of what is saved.
[[nodiscard]] std::vector<kind_clocks> shared_clocks(clock_sharing how, std::span<const kind_load> kinds,
                                                     clock_step step = normal_step);

}  // namespace nearfork

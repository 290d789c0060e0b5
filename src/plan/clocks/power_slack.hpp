// Power slack: what waiting cores do not use of the power that the machine uses when all cores work at their normal
// clocks. SAWS, section V. A core that waits may use its slack itself and fetch work from afar (power slack monopoly,
// PSM), or leave it to the cores that work, which raise their clocks (power slack distribution, PSD).
#pragma once

#include <span>
#include <vector>

#include "plan/clocks/kind_load.hpp"

namespace nearfork {

/// The clocks of the cores that work, by kind, in GHz. Waiting cores have their least clock. The slack is shared
/// equally among the cores that work. What cores at their highest clock leave over is shared among the others.
[[nodiscard]] std::vector<double> clocks_by_slack(std::span<const kind_load> kinds);

}  // namespace nearfork

// The clocks at which the cores that work get most done with the power that there is: Torng, Wang, Batten,
// "Asymmetry-Aware Work-Stealing Runtimes" (ISCA 2016). With all cores at work this is work-pacing. With some waiting,
// which have their least clock, it is work-sprinting.
//
// A core at clock f does kappa f work per unit of time and draws lambda f^3. Under a budget the sum of all work is
// largest where one watt more brings every core the same: where kappa / (3 lambda f^2) is equal for all cores, so f is
// proportional to sqrt(kappa / lambda). Cores whose clock would be out of their range have its end.
#pragma once

#include <span>
#include <vector>

#include "plan/clocks/kind_load.hpp"

namespace nearfork {

/// The clocks of the cores that work, by kind, in GHz. All cores together draw power_budget(kinds) at most, as far as
/// least clocks let them. O(kinds^2).
[[nodiscard]] std::vector<double> paced_clocks(std::span<const kind_load> kinds);

}  // namespace nearfork

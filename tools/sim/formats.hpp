// The results of `nearfork sim` as text and as JSON. Both say that they are simulated.
#pragma once

#include <string>
#include <vector>

#include "tools/sim/campaign.hpp"
#include "tools/sim/request.hpp"

namespace nearfork::tools {

/// One table per machine. `explain` adds why each plan is as it is. `outcomes`: those of jobs_of(study).
[[nodiscard]] std::string table_text(const sim_study& study, const std::vector<simulation_outcome>& outcomes,
                                     bool explain);

/// One object. A later release raises its "version" if a member changes its meaning.
[[nodiscard]] std::string json_text(const sim_study& study, const std::vector<simulation_outcome>& outcomes);

}  // namespace nearfork::tools

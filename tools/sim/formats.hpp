// The results of `nearfork sim` as text and as JSON. Both say that they are simulated.
#pragma once

#include <string>
#include <vector>

#include "tools/sim/campaign.hpp"
#include "tools/sim/request.hpp"

namespace nearfork::tools {

/// A table per machine; `explain` adds why each plan is as it is. `outcomes` are those of jobs_of(study).
[[nodiscard]] std::string table_text(const sim_study& study, const std::vector<simulation_outcome>& outcomes,
                                     bool explain);

/// One object; its "version" will be raised if a member changes its meaning.
[[nodiscard]] std::string json_text(const sim_study& study, const std::vector<simulation_outcome>& outcomes);

}  // namespace nearfork::tools

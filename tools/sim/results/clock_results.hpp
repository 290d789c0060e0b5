// What was found about clocks for a goal other than time: as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/sim/campaign.hpp"

namespace nearfork::tools {

/// A line for each simulation and each step that it tried.
[[nodiscard]] std::string clocks_text(const std::vector<const simulation_outcome*>& of);
[[nodiscard]] nlohmann::json clocks_json(const clock_search& of);

}  // namespace nearfork::tools

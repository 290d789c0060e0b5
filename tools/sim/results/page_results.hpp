// Where pages lay when a simulation ended, and what was moved: as a table and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/sim/campaign.hpp"
#include "tools/sim/simulated_machine.hpp"

namespace nearfork::tools {

/// True if some page is not where it was wanted, or was moved: results must say so, asked or not.
[[nodiscard]] bool strayed(const sim::page_counts& pages) noexcept;
[[nodiscard]] sim::page_counts last_pages(const sim::region_run& run);

/// One line for each simulation.
[[nodiscard]] std::string pages_text(const simulated_machine& where, const std::vector<const simulation_outcome*>& of);
[[nodiscard]] nlohmann::json pages_json(const simulated_machine& where, const sim::region_run& run);

}  // namespace nearfork::tools

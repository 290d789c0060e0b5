// One view for each kind of JSON. `of` has the kind that the function's name says. Throws: nearfork::error.
#pragma once

#include <string>
#include <vector>

#include "tools/report/document.hpp"
#include "tools/report/inputs/json_fields.hpp"

namespace nearfork::tools {

[[nodiscard]] report_view view_of_run(const json_fields& of, const std::string& file);
/// The member "places" of a run report: where pages lie, and the traffic that hints tell of.
void add_places(report_view& to, const json_fields& places);
[[nodiscard]] report_view view_of_bench(const json_fields& of, const std::string& file);
/// One view for each machine.
void add_views_of_simulation(const json_fields& of, const std::string& file, std::vector<report_view>& to);

}  // namespace nearfork::tools

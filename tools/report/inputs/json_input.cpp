// Run reports, simulations and benchmarks.
#include <nearfork/error.hpp>

#include "tools/report/inputs/inputs.hpp"
#include "tools/report/inputs/json_fields.hpp"
#include "tools/report/inputs/json_views.hpp"

namespace nearfork::tools {
namespace {

void add_views(std::vector<report_view>& to, const nlohmann::json& value, const std::string& file,
               const std::string& path) {
  if (value.is_object() && value.contains("policy_source"))
    return to.push_back(
        view_of_run(json_fields(value, file, "write it again with NEARFORK_REPORT=FILE.json", path), file));
  if (value.is_object() && value.contains("simulated"))
    return add_views_of_simulation(json_fields(value, file, "write it again with nearfork sim --json", path), file, to);
  if (value.is_object() && value.contains("conditions"))
    return to.push_back(
        view_of_bench(json_fields(value, file, "write it again with nearfork bench --json", path), file));
  throw error("nearfork: " + file + (path.empty() ? "" : ", element " + path) +
              ": this JSON has neither \"policy_source\" (a run report) nor \"simulated\" (a simulation) nor "
              "\"conditions\" (a benchmark); give a file of NEARFORK_REPORT, nearfork sim --json or nearfork bench "
              "--json");
}

}  // namespace

std::vector<report_view> views_of_json(std::string_view content, const std::string& file) {
  const nlohmann::json value = parse_json(content, file);
  std::vector<report_view> made;
  if (!value.is_array()) add_views(made, value, file, "");
  else
    for (std::size_t i = 0; i < value.size(); ++i) add_views(made, value[i], file, "[" + std::to_string(i) + "]");
  if (made.empty()) throw error("nearfork: " + file + ": the list has no run report; write the file again");
  return made;
}

}  // namespace nearfork::tools

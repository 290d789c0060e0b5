#include "tools/sim/results/clock_results.hpp"

#include <fmt/format.h>

#include "tools/sim/formats.hpp"

namespace nearfork::tools {

std::string clocks_text(const std::vector<const simulation_outcome*>& of) {
  std::string text = fmt::format("  {:<16} {:>9} {:>9} {:>12}\n", "policy", "clocks", "each", "energy each");
  for (const simulation_outcome* const one : of) {
    for (const step_summary& tried : one->run.clocks.tried())
      text +=
          fmt::format("  {:<16} {:>9} {:>9} {:>9.3f} mJ\n", one->policy, fmt::format("{}/{}", tried.step, normal_step),
                      time_text(static_cast<double>(tried.time_ns)), tried.energy_nj / 1e6);
    text += fmt::format("  {:<16} {}\n", one->policy, one->run.clocks.line());
  }
  return text;
}

nlohmann::json clocks_json(const clock_search& of) {
  auto tried = nlohmann::json::array();
  for (const step_summary& one : of.tried())
    tried.push_back({{"of_normal", static_cast<double>(one.step) / normal_step},
                     {"time_ns", one.time_ns},
                     {"energy_j", one.energy_nj / 1e9}});
  return {{"of_normal", static_cast<double>(of.step()) / normal_step}, {"settled", of.settled()}, {"tried", tried}};
}

}  // namespace nearfork::tools

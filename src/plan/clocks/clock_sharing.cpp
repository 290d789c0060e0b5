#include "plan/clocks/clock_sharing.hpp"

#include <cstddef>

#include "plan/clocks/pacing.hpp"
#include "plan/clocks/power_slack.hpp"

namespace nearfork {

std::vector<kind_clocks> shared_clocks(clock_sharing how, std::span<const kind_load> kinds, clock_step step) {
  std::vector<double> working;
  if (step == normal_step && how == clock_sharing::slack) working = clocks_by_slack(kinds);
  else if (step == normal_step && how == clock_sharing::pacing) working = paced_clocks(kinds);
  else
    for (const kind_load& kind : kinds) working.push_back(clock_at(step, kind.clocks));
  const bool nothing_changes = step == normal_step && how == clock_sharing::none;
  std::vector<kind_clocks> made;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    made.push_back({working[i], nothing_changes ? kinds[i].clocks.normal_ghz : kinds[i].clocks.least_ghz});
  return made;
}

}  // namespace nearfork

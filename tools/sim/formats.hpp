// The results of `nearfork sim` as text, JSON and CSV. All say that they are simulated.
#pragma once

#include <string>
#include <vector>

#include "tools/sim/campaign.hpp"
#include "tools/sim/request.hpp"
#include "tools/sim/what_if.hpp"

namespace nearfork::tools {

/// "405.5 us".
[[nodiscard]] std::string time_text(double ns);

struct table_style {
  bool explain = false;   // why each plan is as it is
  bool coloured = false;  // for a terminal
  bool charts = false;    // bars of the policies' times, and a line of each one's iterations
};

/// Tables per machine.
[[nodiscard]] std::string table_text(const sim_study& study, const study_results& results, table_style style = {});

/// One object. A later release raises its "version" if a member changes its meaning.
[[nodiscard]] std::string json_text(const sim_study& study, const study_results& results);

/// A line of names, then one line per machine and policy; counts are those of the mean steady iteration. Then one for
/// each other seed, recording and number of workers, of which the time of an iteration and the gain are told.
[[nodiscard]] std::string csv_text(const sim_study& study, const study_results& results);

}  // namespace nearfork::tools

// Workloads on a command line: their names, and sizes such as "small" or "small,iterations=10".
#pragma once

#include <string_view>

#include "workloads/workload.hpp"

namespace nearfork::tools {

/// Reads "NAME", "FIELD=NUMBER,..." (the other fields as in "default") or "NAME,FIELD=NUMBER,...". K and M after a
/// number multiply it by 1024 and 1024^2. Throws: nearfork::error that says what is wrong with which workload's size,
/// and what is allowed; a graph that is given has the numbers that it has.
[[nodiscard]] workloads::size_values size_of_workload(std::string_view workload, const workloads::size_rules& rules,
                                                      std::string_view text, bool graph_is_given = false);

/// Throws: nearfork::error with the known names.
[[nodiscard]] const workloads::workload& workload_called(std::string_view name);

}  // namespace nearfork::tools

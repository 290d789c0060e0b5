#pragma once

#include <string>

namespace nearfork::tools {

/// The workloads with their sizes, fields and contenders: the output of --list.
[[nodiscard]] std::string workload_list_text();

}  // namespace nearfork::tools

// docs/MACHINES.md: the named machines, the values of their models with sources, and the format of model files.
#pragma once

#include <string>

namespace nearfork::tools {

/// Throws: nearfork::error if a machine or a model of the folder is wrong.
[[nodiscard]] std::string machines_page(const std::string& folder);

}  // namespace nearfork::tools

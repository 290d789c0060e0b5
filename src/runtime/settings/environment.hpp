// The process's environment as values.
#pragma once

#include <vector>

#include <nearfork/config.hpp>

namespace nearfork {

/// Every variable whose name starts with NEARFORK_, whoever set it: config::from_environment() knows whether they may
/// be obeyed.
[[nodiscard]] std::vector<environment_entry> read_environment();

}  // namespace nearfork

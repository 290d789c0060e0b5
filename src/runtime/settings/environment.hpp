// The process's environment as values.
#pragma once

#include <vector>

#include <nearfork/config.hpp>

namespace nearfork {

/// Every variable whose name starts with NEARFORK_, trusted or not: config::from_environment() decides whether to obey.
[[nodiscard]] std::vector<environment_entry> read_environment();

}  // namespace nearfork

// The words for what the system refused.
#pragma once

#include <string>

#include "memory/placed_memory.hpp"

namespace nearfork {

/// "Operation not permitted (errno 1)".
[[nodiscard]] std::string with_number(int error_number);
[[nodiscard]] memory_shortfall binding_refused(int error_number);
[[nodiscard]] memory_shortfall moving_refused(int error_number);

}  // namespace nearfork

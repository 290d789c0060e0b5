#pragma once

#include "base/ids.hpp"

namespace nearfork {

/// Binds the calling thread to one PU. Returns 0 or the errno value.
[[nodiscard]] int pin_this_thread(os_index where) noexcept;

}  // namespace nearfork

#pragma once

#include "base/ids.hpp"

namespace nearfork {

/// The PU that runs the calling thread now; 0 if the system does not say. The thread may have moved when this returns.
[[nodiscard]] os_index calling_pu() noexcept;

}  // namespace nearfork

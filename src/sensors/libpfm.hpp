// Encodes names of events by libpfm4.
#pragma once

#include <string>

#include "sensors/counting_system.hpp"

namespace nearfork {

/// Loads libpfm4 at the first call and keeps it. Must not be called by two threads at once: the library has state.
[[nodiscard]] event_encoding encode_by_libpfm(const std::string& event);

}  // namespace nearfork

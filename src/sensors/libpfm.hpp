// Names of events to codes, by libpfm4.
#pragma once

#include <string>

#include "sensors/counting_system.hpp"

namespace nearfork {

/// libpfm4 is loaded at the first call and stays. Not from two threads at once: it keeps state of its own.
[[nodiscard]] event_encoding encode_by_libpfm(const std::string& event);

}  // namespace nearfork

#pragma once

#include <thread>

#include "base/ids.hpp"

namespace nearfork {

/// Binds the calling thread to one PU. Returns 0 or the errno value.
[[nodiscard]] int pin_this_thread(os_index where) noexcept;

/// True if the system says that the thread may run elsewhere than on `where`, to which it was bound. Linux lifts the
/// binding when the PU goes offline, and other programs may change it. False if the system does not say.
[[nodiscard]] bool has_lost_its_pin(std::thread& bound, os_index where) noexcept;

}  // namespace nearfork

// The machine that a config names.
#pragma once

#include <memory>

#include <nearfork/config.hpp>

#include "machine/model/machine.hpp"

namespace nearfork {

/// Throws: nearfork::error as load_machine() does. The message ends with who named the machine, if not the program
/// itself: a user may not know of a variable in the environment.
[[nodiscard]] std::shared_ptr<const machine> configured_machine(const config& settings);

}  // namespace nearfork

// This machine, read anew.
#pragma once

#include <memory>

#include "machine/model/machine.hpp"

namespace nearfork {

/// As live_machine(), but read now and not kept. For a process that is going to bind itself: what live_machine() keeps
/// has the PUs that the thread which first asked might use then. Throws: as live_machine().
[[nodiscard]] std::shared_ptr<const machine> live_machine_of_now();

}  // namespace nearfork

// How much memory the nodes of a simulated machine have, as a command line says it.
#pragma once

#include <string>

#include "tools/sim/simulated_machine.hpp"

namespace nearfork::tools {

/// "256M": each node has that much; "0=4G,4=256M": these nodes have, the others as the machine says. Empty: nothing
/// changes. Throws: nearfork::error that says what is wrong.
void set_node_capacity(simulated_machine& of, const std::string& wanted);

}  // namespace nearfork::tools

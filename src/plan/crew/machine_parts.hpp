// How processes that share a machine split it.
#pragma once

#include <vector>

#include "machine/model/machine.hpp"

namespace nearfork {

/// The PUs of `parts` parts, at least one: domains while there are enough, else cores of one domain; parts share cores
/// if there are more parts than cores.
[[nodiscard]] std::vector<std::vector<unsigned>> parts_of_machine(const machine& where, unsigned parts);

}  // namespace nearfork

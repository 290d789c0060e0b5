// A machine as a runtime with few workers uses it: without the domains that have no workers.
#pragma once

#include <span>

#include "machine/model/machine.hpp"

namespace nearfork {

/// `whole` with only the domains of `kept`, in that order, and their packages, cores and PUs, all with new numbers. All
/// memory nodes stay, because memory can be used without workers beside it. Throws: nearfork::error if `kept` is empty.
/// O(PUs + domains x nodes).
[[nodiscard]] machine with_domains(const machine& whole, std::span<const domain_id> kept);

}  // namespace nearfork

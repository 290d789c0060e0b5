// A machine as a runtime with few workers uses it: without the domains in which none of them runs.
#pragma once

#include <span>

#include "machine/model/machine.hpp"

namespace nearfork {

/// `whole` with the domains of `kept` alone, in that order, and their packages, cores and PUs, all numbered anew. All
/// memory nodes stay, for memory is there whether or not anybody runs beside it. Throws nearfork::error if `kept` is empty.
/// O(PUs + domains x nodes).
[[nodiscard]] machine with_domains(const machine& whole, std::span<const domain_id> kept);

}  // namespace nearfork

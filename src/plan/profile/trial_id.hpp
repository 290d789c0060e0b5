// Which trial of a policy an iteration belongs to.
#pragma once

#include <cstdint>

namespace nearfork {

/// A policy names its trials: packings, shares of the domains, homes of a subtree. What a number stands for, that
/// policy alone knows; all others only compare them. Policies without trials have the one that {} names.
enum class trial_id : std::uint32_t {};

}  // namespace nearfork

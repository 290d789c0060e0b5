// Which trial of a policy an iteration belongs to.
#pragma once

#include <cstdint>

namespace nearfork {

/// A policy names its trials: packings, shares of the domains, homes of a subtree. Only that
/// policy knows what a number stands for; other code only compares numbers. A policy without trials uses trial_id{}.
enum class trial_id : std::uint32_t {};

}  // namespace nearfork

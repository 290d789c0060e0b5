// Loops by what compilers make of them.
#pragma once

#include <cstdint>

namespace nearfork::tools {

/// vector: each turn does the same with the numbers that follow those of the turn before, so several are done at once.
enum class loop_kind : std::uint8_t { scalar, vector };

}  // namespace nearfork::tools

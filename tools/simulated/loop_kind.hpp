// Kinds of loops, by how compilers translate them.
#pragma once

#include <cstdint>

namespace nearfork::tools {

/// vector: each turn does the same with the next numbers, so several turns are done at once.
enum class loop_kind : std::uint8_t { scalar, vector };

}  // namespace nearfork::tools

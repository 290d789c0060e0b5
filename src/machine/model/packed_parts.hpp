// A machine's parts as bytes: how a child process that has read them tells its parent.
#pragma once

#include <string>
#include <string_view>

#include "machine/model/machine.hpp"

namespace nearfork {

[[nodiscard]] std::string packed_parts(const machine_parts& parts);
/// Throws nearfork::error where the bytes are no such parts.
[[nodiscard]] machine_parts unpacked_parts(std::string_view bytes);

}  // namespace nearfork

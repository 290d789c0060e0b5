// A machine's parts as bytes, for a child process that reads them for its parent.
#pragma once

#include <string>
#include <string_view>

#include "machine/model/machine.hpp"

namespace nearfork {

[[nodiscard]] std::string packed_parts(const machine_parts& parts);
/// Throws: nearfork::error if the bytes are no such parts.
[[nodiscard]] machine_parts unpacked_parts(std::string_view bytes);

}  // namespace nearfork

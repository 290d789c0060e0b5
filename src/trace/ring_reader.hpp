// Reads the rings of a run: those of this process, or those that a process that was killed has left in a file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "trace/ring_layout.hpp"
#include "trace/traced_run.hpp"

namespace nearfork::traces {

/// The workers may note events meanwhile. `of` names the rings in messages.
/// Throws: nearfork::error if these are no rings: a wrong size, an event that refers to a name or a worker that does
/// not exist.
[[nodiscard]] traced_run read_rings(std::span<const word> words, const std::string& of);

/// From the bytes of a ring file. Throws as above.
[[nodiscard]] traced_run read_ring_file(std::string_view bytes, const std::string& path);

}  // namespace nearfork::traces

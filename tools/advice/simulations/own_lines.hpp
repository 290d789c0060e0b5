// A recording as it would be if what each task writes began at cache lines of its own. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "recording/recording.hpp"

namespace nearfork::tools {

/// Wherever, in the last recorded iteration of a region, another task's writes begin in `block`, the block is padded up
/// to the next line, and all accesses to the block are moved with their bytes. Bytes that several tasks write stay
/// shared. nullopt: the block has more such borders than a million. n log n in the pieces of its accesses.
[[nodiscard]] std::optional<recordings::recording> with_own_lines(const recordings::recording& recorded,
                                                                  std::uint32_t block);

}  // namespace nearfork::tools

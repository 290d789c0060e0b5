// Blocks for the loader while it looks up the next malloc: dlsym() may allocate, for the text of an error. They are
// few, they are never reused, and they begin where placed blocks begin, so that free() looks for both in one place.
#pragma once

#include <cstddef>

namespace nearfork::preloaded {

/// Zeroed. nullptr: there are no more, or the block would be larger than one can be; errno says so.
[[nodiscard]] void* early_block(std::size_t bytes) noexcept;
/// The size of the early block that begins there; 0: none does.
[[nodiscard]] std::size_t early_size(const void* begin) noexcept;

}  // namespace nearfork::preloaded

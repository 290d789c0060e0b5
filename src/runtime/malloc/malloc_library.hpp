// libnearfork-malloc.so in this process, found by name: the program is built without it, and may run without it.
#pragma once

#include <cstddef>

#include <nearfork/detail/malloc_offer.hpp>

namespace nearfork {

[[nodiscard]] bool has_malloc_library() noexcept;

/// Our code stays loaded from then on, because the library calls it as long as the process lives. False: the library
/// has another offer, or is not of our version.
[[nodiscard]] bool give_to_malloc_library(const detail::malloc_offer& offer, std::size_t from_bytes) noexcept;

}  // namespace nearfork

// libnearfork-malloc.so in this process, found by name: the program is built without it, and may run without it.
#pragma once

#include <cstddef>

#include <nearfork/detail/malloc_offer.hpp>

namespace nearfork {

[[nodiscard]] bool has_malloc_library() noexcept;

/// The library calls our code as long as the process lives; code that runs a runtime stays loaded. False: the library
/// has another offer, or is not of our version.
[[nodiscard]] bool give_to_malloc_library(const detail::malloc_offer& offer, std::size_t from_bytes) noexcept;

}  // namespace nearfork

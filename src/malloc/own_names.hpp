// Our malloc and free by names that no other library can take over.
#pragma once

#include <cstddef>

extern "C" {
[[gnu::visibility("hidden")]] void* nearfork_own_malloc(std::size_t bytes) noexcept;
[[gnu::visibility("hidden")]] void nearfork_own_free(void* begin) noexcept;
}

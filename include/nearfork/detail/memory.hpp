// What the inlined parts of arrays and allocators ask of the library.
#pragma once

#include <cstddef>
#include <cstdint>

#include <nearfork/memory_options.hpp>

namespace nearfork::detail {

enum class block_kind : std::uint8_t {
  by_size,  // placed from placed_from_bytes on
  placed,   // in any case
};

struct fresh_memory {
  void* begin;
  bool zeroed;  // untouched pages, which read as zero
};

/// Throws nearfork::error: more than can be addressed, no memory, a wrong option; in strict mode, what cannot be placed.
[[nodiscard]] fresh_memory allocate_memory(std::size_t bytes, std::size_t alignment, const memory_options& options,
                                           block_kind sort = block_kind::by_size);
/// What allocate_memory() gave for `bytes`, whatever the options were; nullptr: nothing happens.
void free_memory(void* begin, std::size_t bytes) noexcept;

/// Throws nearfork::error if they are more bytes than one object may have.
[[nodiscard]] std::size_t bytes_of_elements(std::size_t count, std::size_t each_bytes);

}  // namespace nearfork::detail

// Functions of the library that the inlined parts of arrays and allocators call.
#pragma once

#include <cstddef>
#include <cstdint>

#include <nearfork/memory_options.hpp>

namespace nearfork::detail {

enum class block_kind : std::uint8_t {
  by_size,  // a placed block if it has at least placed_from_bytes
  placed,   // a placed block of any size
};

struct fresh_memory {
  void* begin;
  bool zeroed;  // the pages are untouched and read as zero
};

/// memory_options{}, to the very end of the process. Not a function's static in headers: fork()'s child would wait for
/// the thread that makes one.
[[nodiscard]] const memory_options& default_memory_options();

/// Throws: nearfork::error if the size cannot be addressed, there is no memory, or an option is wrong; in strict mode
/// also if the memory cannot be placed as the options say.
[[nodiscard]] fresh_memory allocate_memory(std::size_t bytes, std::size_t alignment, const memory_options& options,
                                           block_kind sort = block_kind::by_size);
/// Frees what allocate_memory() returned for `bytes`, with any options. nullptr: nothing happens.
void free_memory(void* begin, std::size_t bytes) noexcept;

/// The size of an array. Throws: nearfork::error if it is larger than an object may be.
[[nodiscard]] std::size_t bytes_of_elements(std::size_t count, std::size_t each_bytes);

}  // namespace nearfork::detail

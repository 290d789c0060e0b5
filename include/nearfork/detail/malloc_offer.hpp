// What nearfork offers to libnearfork-malloc.so: placed blocks behind plain functions. The two are linked apart, and a
// program may have one without the other; so the interface is C, and its version is its first field.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nearfork::detail {

inline constexpr std::uint32_t malloc_offer_version = 1;

/// How a block came to be asked for.
enum class malloc_wish : std::uint8_t {
  fresh,   // by malloc or operator new
  zeroed,  // by calloc: all bytes read as zero
  grown,   // by realloc of a placed block: placed at any time, so that growing data stay placed
};

/// Any thread may call these functions at any time, also in a child made by fork(). They live as long as the process.
struct malloc_offer {
  std::uint32_t version;
  /// nullptr: this block is not to be placed, or cannot be; the next malloc shall serve it. `alignment`: a power of
  /// two.
  void* (*allocate)(std::size_t bytes, std::size_t alignment, malloc_wish wish) noexcept;
  /// False: no placed block begins there.
  bool (*free)(void* begin) noexcept;
  /// The size of the placed block that begins there; 0: none does.
  std::size_t (*usable)(const void* begin) noexcept;
};

/// Placed blocks begin at multiples of this many bytes, so that free() of other blocks asks nobody.
inline constexpr std::uintptr_t malloc_block_alignment = std::uintptr_t{1} << 21;

extern "C" {
/// Defined by libnearfork-malloc.so. From now on blocks of at least `from_bytes` come from the offer. The process has
/// one offer; a further call with the same offer sets another size. False: another offer was there before, or the
/// library is of another version.
[[gnu::__visibility__("default")]] bool nearfork_malloc_take(const malloc_offer* offer,
                                                             std::size_t from_bytes) noexcept;
}
inline constexpr const char* malloc_take_name = "nearfork_malloc_take";

}  // namespace nearfork::detail

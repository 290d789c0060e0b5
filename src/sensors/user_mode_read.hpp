// Reads a hardware counter without the kernel. Only this file knows which processors can.
#pragma once

#include <cstdint>

namespace nearfork {

#if defined(__x86_64__)
inline constexpr bool has_user_mode_read = true;
inline std::uint64_t read_hardware_counter(std::uint32_t index) noexcept {
  return static_cast<std::uint64_t>(__builtin_ia32_rdpmc(static_cast<int>(index)));
}
#else
// AArch64 needs a sysctl, and another request when the counter is opened; so read(2) is used.
inline constexpr bool has_user_mode_read = false;
inline std::uint64_t read_hardware_counter(std::uint32_t) noexcept {
  return 0;
}
#endif

/// The hardware's counter has fewer than 64 bits, and the kernel's value beside it may be a negative offset.
[[nodiscard]] constexpr std::uint64_t widened(std::uint64_t counter, unsigned bits) noexcept {
  const unsigned unused = 64 - bits;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(counter << unused) >> unused);
}

}  // namespace nearfork

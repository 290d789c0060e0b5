// The core's own counter, for loops that time their bodies and for traces.
#pragma once

#include <nearfork/detail/language.hpp>

#include <cstdint>

namespace nearfork::detail {

/// The core's own counter: enough to measure short times on one core, in ticks of unknown length.
[[nodiscard]] inline std::uint64_t coarse_ticks() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  std::uint64_t ticks;
  __asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#endif
}

}  // namespace nearfork::detail

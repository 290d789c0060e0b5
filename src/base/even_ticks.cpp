#include "base/even_ticks.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace nearfork::detail {

tick_source even_tick_source() noexcept {
#if defined(__x86_64__)
  constexpr unsigned power_leaf = 0x80000007U;
  constexpr unsigned invariant = 1U << 8;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  const bool told = __get_cpuid(power_leaf, &a, &b, &c, &d) != 0;
  return told && (d & invariant) != 0 ? tick_source::counter : tick_source::monotonic_clock;
#else
  return tick_source::counter;
#endif
}

double tick_rate::ns_per_tick() const noexcept {
  if (source_ == tick_source::monotonic_clock) return 1;
  const auto ticks = static_cast<std::int64_t>(ticks_of(source_) - first_ticks_);
  return ticks <= 0 ? 1 : static_cast<double>(now_ns() - first_ns_) / static_cast<double>(ticks);
}

}  // namespace nearfork::detail

#include "runtime/relief/busy_crew.hpp"

#include "base/monotonic_clock.hpp"
#include "runtime/workers/crew.hpp"

namespace nearfork {
namespace {

/// As long as a slice of the system's scheduler: calls that last less than that take turns on the workers.
constexpr std::uint64_t least_busy_ns = 3'000'000;

std::uint64_t taken_from_injector(const crew& by) noexcept {
  std::uint64_t taken = 0;
  for (std::uint32_t i = 0; i < by.worker_count(); ++i) taken += by.worker_at(i).counters.injected.approx();
  return taken;
}

}  // namespace

bool busy_crew::look(crew& now) noexcept {
  const bool is_busy = !now.has_idle_worker() && !now.injector().looks_empty();
  const std::uint64_t taken = taken_from_injector(now);
  const std::uint64_t time_ns = now_ns();
  if (!is_busy || seen_ != &now || taken_ != taken) {
    seen_ = is_busy ? &now : nullptr;
    taken_ = taken;
    since_ns_ = time_ns;
    return false;
  }
  return time_ns - since_ns_ >= least_busy_ns;
}

}  // namespace nearfork

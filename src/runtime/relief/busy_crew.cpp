#include "runtime/relief/busy_crew.hpp"

#include "base/monotonic_clock.hpp"
#include "runtime/workers/crew.hpp"

namespace nearfork {
namespace {

/// As long as a slice of the system's scheduler: calls that last less than that take turns on the workers.
constexpr std::uint64_t least_busy_ns = 3'000'000;

}  // namespace

bool busy_crew::look(crew& now) noexcept {
  const bool is_busy = !now.has_idle_worker() && !now.injector().looks_empty();
  const std::uint64_t taken = now.total(&worker_counters::injected);
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

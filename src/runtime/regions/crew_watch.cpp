#include "runtime/regions/crew_watch.hpp"

#include "base/monotonic_clock.hpp"
#include "runtime/workers/crew.hpp"

namespace nearfork {
namespace {

std::uint64_t sum_of(crew& home, counter worker_counters::* counted) noexcept {
  std::uint64_t all = 0;
  for (std::uint32_t i = 0; i < home.worker_count(); ++i) all += (home.worker_at(i).counters.*counted).approx();
  return all;
}

template <class Add>
void for_each_wait(crew& home, Add&& add) noexcept {
  for (std::uint32_t i = 0; i < home.worker_count(); ++i) {
    const worker& one = home.worker_at(i);
    add(one.domain, one.waits.waited_ns(now_ns));
  }
}

}  // namespace

void crew_watch::begin(crew& home) {
  waits_ns_.assign(home.domain_count(), 0);
  steals_before_ = sum_of(home, &worker_counters::steals_between_domains);
  crossings_ = 0 - sum_of(home, &worker_counters::wanted_crossings);
  for_each_wait(home, [&](std::uint32_t domain, std::uint64_t waited_ns) { waits_ns_[domain] -= waited_ns; });
}

void crew_watch::end(crew& home) noexcept {
  if (waits_ns_.empty()) return;
  steals_ = sum_of(home, &worker_counters::steals_between_domains) - steals_before_;
  crossings_ += sum_of(home, &worker_counters::wanted_crossings);
  for_each_wait(home, [&](std::uint32_t domain, std::uint64_t waited_ns) { waits_ns_[domain] += waited_ns; });
  // A clock that is stopped while it is read shows slightly too much. So a very short iteration may end below 0.
  for (std::uint64_t& waited_ns : waits_ns_)
    if (waited_ns >> 63 != 0) waited_ns = 0;
}

}  // namespace nearfork

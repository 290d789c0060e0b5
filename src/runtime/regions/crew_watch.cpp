#include "runtime/regions/crew_watch.hpp"

#include <algorithm>

#include "base/monotonic_clock.hpp"
#include "runtime/workers/crew.hpp"

namespace nearfork {
namespace {

std::uint64_t sum_of(crew& home, counter worker_counters::* counted) noexcept {
  std::uint64_t all = 0;
  for (std::uint32_t i = 0; i < home.worker_count(); ++i) all += (home.worker_at(i).counters.*counted).approx();
  return all;
}

/// Adds the subtrees that domains have gained since the runtime began, or subtracts them.
void add_gained(crew& home, std::vector<std::int32_t>& to, std::int32_t sign) noexcept {
  for (std::uint32_t d = 0; d < to.size(); ++d)
    to[d] += sign * home.domain_at(d).gained.load(detail::seam::memory_order_relaxed);
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
  gained_.assign(home.domain_count(), 0);
  workers_.assign(home.domain_count(), 0);
  waits_ns_.assign(home.domain_count(), 0);  // last: tells end() that nothing was thrown
  home.iterations().watched.fetch_add(1, detail::seam::memory_order_relaxed);
  add_gained(home, gained_, -1);
  for (std::uint32_t i = 0; i < home.worker_count(); ++i) ++workers_[home.worker_at(i).domain];
  steals_before_ = sum_of(home, &worker_counters::steals_between_domains);
  crossings_ = 0 - sum_of(home, &worker_counters::wanted_crossings);
  began_ns_ = now_ns();
  for_each_wait(home, [&](std::uint32_t domain, std::uint64_t waited_ns) { waits_ns_[domain] -= waited_ns; });
}

void crew_watch::end(crew& home) noexcept {
  if (waits_ns_.empty()) return;
  steals_ = sum_of(home, &worker_counters::steals_between_domains) - steals_before_;
  crossings_ += sum_of(home, &worker_counters::wanted_crossings);
  add_gained(home, gained_, 1);
  for_each_wait(home, [&](std::uint32_t domain, std::uint64_t waited_ns) { waits_ns_[domain] += waited_ns; });
  home.iterations().watched.fetch_sub(1, detail::seam::memory_order_relaxed);
  // A clock that is stopped while it is read shows slightly too much, so a very short iteration may end below 0. A
  // deputy that came or left as the iteration began may have turned its clock unread, to any time.
  const std::uint64_t took_ns = now_ns() - began_ns_;
  for (std::size_t d = 0; d < waits_ns_.size(); ++d)
    waits_ns_[d] = waits_ns_[d] >> 63 != 0 ? 0 : std::min(waits_ns_[d], took_ns * workers_[d]);
}

std::vector<domain_use> crew_watch::use_of_domain(std::uint64_t duration_ns) const {
  if (!steals_ || duration_ns == 0) return {};
  std::vector<domain_use> made;
  for (std::size_t d = 0; d < waits_ns_.size(); ++d) {
    const double all_ns = static_cast<double>(duration_ns) * workers_[d];
    made.push_back({.busy = busy_part(static_cast<double>(waits_ns_[d]), all_ns), .subtrees_gained = gained_[d]});
  }
  return made;
}

}  // namespace nearfork

#include "runtime/relief/relief.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <new>
#include <optional>

#include "base/monotonic_clock.hpp"
#include "base/sanitizer_calls.hpp"
#include "runtime/workers/crew.hpp"
#include "runtime/workers/crews.hpp"

namespace nearfork {

crew& relief::get() {
  const std::lock_guard now(mutex_);
  if (crew* const before = made()) return *before;
  crew& made = make_();
  sanitizers::hand_over(&made_);
  made_.store(&made, seam::memory_order_release);
  return made;
}

crew* relief::made() const noexcept {
  crew* const seen = made_.load(seam::memory_order_acquire);
  if (seen != nullptr) sanitizers::take_over(&made_);
  return seen;
}

bool relief::hand_on() noexcept {
  try {
    crew& to = get();
    to.wait_for_cores(false);
    relieved_.injector().hand_on([](const work_item& one) { return one.may_be_relieved; },
                                 [&](const work_item& one) {
                                   to.push_inside(one, 0);
                                   given_.fetch_add(1, seam::memory_order_relaxed);
                                 });
    const std::lock_guard now(mutex_);
    last_.emplace(relieved_);
    (void)last_->still();
    return true;
  } catch (const std::exception&) {
    return false;  // the next look tries again
  }
}

bool relief::still_blocked() noexcept {
  const std::lock_guard now(mutex_);
  if (last_ && !last_->still()) last_.reset();
  return last_.has_value();
}

crew& relief::crew_for_call(crew& home) noexcept {
  relief* const by = home.relieved_by();
  if (by == nullptr || by->made() == nullptr || !by->still_blocked()) return home;
  by->given_.fetch_add(1, seam::memory_order_relaxed);
  return crew_for_call(*by->made());
}

/// Beside other calls a worker that searches will not do: two threads that call again and again would wait for it, and
/// for the system to wake them. Without other calls a worker comes soon, as one that is just starting.
crew* relief::beside(crew& busy) noexcept {
  relief* const by = busy.relieved_by();
  if (by == nullptr || !busy.has_other_calls()) return nullptr;
  return by->may_plan() ? beside_long_work(busy) : by->get_for_calls();
}

crew* relief::beside_long_work(crew& busy) noexcept {
  relief* const by = busy.relieved_by();
  if (by == nullptr || !by->is_busy_.load(seam::memory_order_relaxed)) return nullptr;
  if (!busy.has_idle_worker()) return by->made();
  by->is_busy_.store(false, seam::memory_order_relaxed);
  return nullptr;
}

bool relief::may_plan() const noexcept {
  const auto had_region = [](crew& one) { return one.iterations().any_so_far.load(seam::memory_order_relaxed); };
  crew* const further = made();
  return had_region(relieved_) || (further != nullptr && had_region(*further));
}

crew* relief::make_beside(crew& busy) noexcept {
  relief* const by = busy.relieved_by();
  if (by == nullptr) return nullptr;
  by->is_busy_.store(true, seam::memory_order_relaxed);
  return by->get_for_calls();
}

crew* relief::get_for_calls() noexcept {
  if (relieved_.keeps_calls()) return nullptr;
  if (crew* const before = made()) return before;
  if (is_refused_.load(seam::memory_order_relaxed)) return nullptr;
  try {
    crew& made = get();
    made.wait_for_cores(true);
    made.notify_one(0);  // it may sleep already, and is to look from now on (idling.cpp)
    return &made;
  } catch (const std::exception&) {
    is_refused_.store(true, seam::memory_order_relaxed);
    return nullptr;
  }
}

void relief::count_beside(crew& busy) noexcept {
  busy.relieved_by()->given_.fetch_add(1, seam::memory_order_relaxed);
  busy.relieved_by()->given_by_busy_.fetch_add(1, seam::memory_order_relaxed);
}

/// One look for all of them: two in a moment would take a worker that waits for a moment for a blocked one.
void relief::look_for_sleepers(relief& of) noexcept {
  const std::unique_lock now(of.sleepers_mutex_, std::try_to_lock);
  if (!now.owns_lock()) return;
  const std::uint64_t time_ns = now_ns();
  if (time_ns - of.sleepers_looked_ns_ < relieving_sleep::shortest_ns) return;
  of.sleepers_looked_ns_ = time_ns;
  (void)of.sleepers_.look();
}

namespace {

/// The relief of the relief, if there was a need for one.
relief* next_after(const relief& at) noexcept {
  const crew* const made = at.made();
  return made == nullptr ? nullptr : made->relieved_by();
}

/// `home`, or its relief, or that one's.
bool is_of(const crew& one, const crew& home) noexcept {
  for (const relief* at = home.relieved_by(); at != nullptr; at = next_after(*at))
    if (&at->relieved() == &one) return true;
  return false;
}

/// A domain where a worker has no work.
std::optional<std::uint32_t> idle_domain(const crew& home) noexcept {
  for (std::uint32_t domain = 0; domain < home.domain_count(); ++domain)
    for (const std::uint32_t worker : home.layout().workers_of(domain))
      if (!home.is_in_task(worker)) return domain;
  return std::nullopt;
}

/// What lies in pools that nobody else looks into. True: something was handed on.
bool hand_on_sent(crew& home, const blocked_crew& seen) {
  bool any = false;
  for (std::uint32_t domain = 0; domain < home.domain_count(); ++domain) {
    domain_state& from = home.domain_at(domain);
    if (from.looks_empty() || !seen.was_blocked(domain)) continue;
    const auto idle = idle_domain(home);
    if (!idle) return any;
    domain_state& to = home.domain_at(*idle);
    const bool high = from.high.hand_on(to.high);
    const bool weak = from.weak.hand_on(to.weak);
    if (!from.low.hand_on(to.low) && !high && !weak) continue;
    home.announce_in_pool(*idle);
    any = true;
  }
  return any;
}

bool has_sent(crew& home) noexcept {
  if (home.any_worker_will_ever_do()) return false;
  for (std::uint32_t domain = 0; domain < home.domain_count(); ++domain)
    if (!home.domain_at(domain).looks_empty()) return true;
  return false;
}

bool has_work_for_others(crew& one) noexcept {
  return one.relieved_by() != nullptr && (!one.injector().looks_empty() || has_sent(one));
}

/// Crews of other runtimes, where a task of the call may wait, too; then nullptr. Each is entered, so that it stays.
std::array<crew*, 16> others_with_work(const crew& home) noexcept {
  std::array<crew*, 16> found{};
  std::size_t count = 0;
  for_each_crew([&](crew& one) {
    if (count < found.size() && has_work_for_others(one) && !is_of(one, home) && one.entrance().try_enter())
      found[count++] = &one;
  });
  return found;
}

}  // namespace

void relieving_sleep::operator()(seam::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  home_.give_up_pu();
  seam::futex_wait_for(word, expected, pause_ns_);
  if (word.load(seam::memory_order_relaxed) != expected) return home_.make_room();
  pause_ns_ = look() ? shortest_ns : std::min(2 * pause_ns_, longest_ns);
}

bool relieving_sleep::finds_busy(crew& at, seam::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  (*this)(word, expected);
  return word.load(seam::memory_order_relaxed) == expected && busy_looks_.look(at);
}

bool relieving_sleep::look() noexcept {
  bool handed_on = false;
  for (relief* at = home_.relieved_by(); at != nullptr; at = next_after(*at))
    handed_on = look_at(at->relieved()) || handed_on;
  for (crew* const other : others_with_work(home_)) {
    if (other == nullptr) break;
    handed_on = look_at(*other) || handed_on;
    other->entrance().leave();  // it may be gone
  }
  return handed_on;
}

bool relieving_sleep::look_at(crew& one) noexcept {
  if (!has_work_for_others(one)) return false;
  try {
    blocked_crew& seen = looks_.try_emplace(&one, one).first->second;
    const bool is_blocked = seen.look();
    const bool handed_on = is_blocked && !one.injector().looks_empty() && one.relieved_by()->hand_on();
    return (has_sent(one) && hand_on_sent(one, seen)) || handed_on;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace nearfork

#include "runtime/relief/relief.hpp"

#include <algorithm>
#include <exception>
#include <new>

#include "runtime/workers/crew.hpp"

namespace nearfork {

crew& relief::get() {
  const std::lock_guard now(mutex_);
  if (crew* const before = made()) return *before;
  crew& made = make_();
  made_.store(&made, seam::memory_order_release);
  return made;
}

bool relief::hand_on() noexcept {
  try {
    crew& to = get();
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

namespace {

/// The relief of the relief, if there was a need for one.
relief* next_after(const relief& at) noexcept {
  const crew* const made = at.made();
  return made == nullptr ? nullptr : made->relieved_by();
}

}  // namespace

void relieving_sleep::operator()(seam::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  seam::futex_wait_for(word, expected, pause_ns_);
  if (word.load(seam::memory_order_relaxed) != expected) return;
  pause_ns_ = look() ? shortest_ns : std::min(2 * pause_ns_, longest_ns);
}

bool relieving_sleep::look() noexcept {
  try {
    bool handed_on = false;
    std::size_t level = 0;
    for (relief* at = home_.relieved_by(); at != nullptr; at = next_after(*at), ++level) {
      if (looks_.size() == level) looks_.emplace_back(at->relieved());
      if (at->relieved().injector().looks_empty() || !looks_[level].look()) continue;
      handed_on = at->hand_on() || handed_on;
    }
    return handed_on;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace nearfork

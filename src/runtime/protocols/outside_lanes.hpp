// Lanes: deques for what threads outside workers push. A worker's jobs lie in the deque of its fiber, where thieves
// find them; a thread outside has no fiber, and borrows a lane.
//
// [L1] A lane is counted in use before its first push, and that push looks for sleepers ([P4] of parking.md). So
//      whoever gets sleepy later sees the lane in [P2] and [P3], and whoever slept before is notified. Mutant:
//      lane_begins_unasked.
//
// A lane may be hidden: no worker looks at it or asks its owner, and nobody is woken for what is in it. The owner, or
// who looks after hidden lanes (polling/lane_watch.hpp), shows it; from then on [L1] holds. Mutant:
// lane_is_shown_twice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include <nearfork/detail/seam.hpp>

namespace nearfork {

/// Lane: has a deque `jobs`, atomic bools `taken` and `hidden` that are false at first, and an atomic number `uses`.
/// Lanes are made when they are needed and stay to the end: thieves may look at one that nobody uses. Thread-safe.
template <class Lane>
class outside_lanes {
 public:
  /// More threads that push at a time do without.
  static constexpr std::size_t most = 16;

  /// A lane for the calling thread alone, in which all jobs are taken. nullptr: all are in use, or there is no memory.
  /// hides(lane): whether the lane is hidden.
  template <class Hides>
  [[nodiscard]] Lane* claim(const Hides& hides) noexcept {
    for (std::size_t i = 0; i < most; ++i) {
      Lane* const one = made_in(i);
      if (one == nullptr) return nullptr;
      if (!try_take(*one)) continue;
      one->uses.store(one->uses.load(detail::seam::memory_order_relaxed) + 1, detail::seam::memory_order_relaxed);
      if (hides(*one)) one->hidden.store(true, detail::seam::memory_order_relaxed);
      else begin_use(*one);
      return one;
    }
    return nullptr;
  }
  /// True: the lane was hidden until now. The caller looks for sleepers ([P4] of parking.md). Called from any thread.
  bool show(Lane& one) noexcept {
    if (!one.hidden.load(detail::seam::memory_order_relaxed) ||
        !one.hidden.exchange(false, detail::seam::memory_order_acq_rel))
      return false;
    begin_use(one);
    return true;
  }
  /// Shows the lanes that have been hidden since the last call. True: there were some; as show(). By one thread.
  bool show_forgotten() noexcept {
    bool shown = false;
    for (std::size_t i = 0; i < most; ++i) {
      Lane* const one = lanes_[i].load(detail::seam::memory_order_acquire);
      if (one == nullptr) break;
      const std::uint32_t use = one->uses.load(detail::seam::memory_order_relaxed);
      if (std::exchange(seen_uses_[i], use) == use && show(*one)) shown = true;
    }
    return shown;
  }
  /// All jobs in `own` are taken.
  void give_back(Lane& own) noexcept {
    if (!own.hidden.exchange(false, detail::seam::memory_order_relaxed))
      in_use_.fetch_sub(1, detail::seam::memory_order_relaxed);
    own.taken.store(false, detail::seam::memory_order_release);
  }

  [[nodiscard]] bool in_use() const noexcept { return in_use_.load(detail::seam::memory_order_relaxed) != 0; }
  /// Calls look(lane) for the lanes that may have jobs, until it returns true. Returns whether it did.
  template <class Look>
  bool any_of(const Look& look) noexcept {
    if (!in_use()) return false;  // [L1]
    for (auto& place : lanes_) {
      Lane* const one = place.load(detail::seam::memory_order_acquire);
      if (one == nullptr) return false;
      if (!one->hidden.load(detail::seam::memory_order_relaxed) && look(*one)) return true;
    }
    return false;
  }

 private:
  /// From now on workers look at it.
  void begin_use(Lane& one) noexcept {
    in_use_.fetch_add(1, detail::seam::memory_order_relaxed);
    one.jobs.request();  // [L1]
  }
  [[nodiscard]] Lane* made_in(std::size_t place) noexcept {
    Lane* seen = lanes_[place].load(detail::seam::memory_order_acquire);
    if (seen != nullptr) return seen;
    std::unique_ptr<Lane> made(new (std::nothrow) Lane);
    if (made == nullptr) return nullptr;
    if (!lanes_[place].compare_exchange_strong(seen, made.get(), detail::seam::memory_order_acq_rel,
                                               detail::seam::memory_order_acquire))
      return seen;
    owned_[place] = std::move(made);
    return owned_[place].get();
  }
  /// Acquire: the deque is as the thread left it that had it before.
  [[nodiscard]] static bool try_take(Lane& one) noexcept {
    bool free = false;
    return !one.taken.load(detail::seam::memory_order_relaxed) &&
           one.taken.compare_exchange_strong(free, true, detail::seam::memory_order_acquire,
                                             detail::seam::memory_order_relaxed);
  }

  std::array<detail::seam::atomic<Lane*>, most> lanes_{};  // without gaps
  std::array<std::unique_ptr<Lane>, most> owned_{};        // the same, for their end alone
  detail::seam::atomic<std::size_t> in_use_{0};            // without the hidden ones
  std::array<std::uint32_t, most> seen_uses_{};            // of show_forgotten()
};

}  // namespace nearfork

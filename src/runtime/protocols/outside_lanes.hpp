// Lanes: deques for what threads outside workers push. A worker's jobs lie in the deque of its fiber, where thieves
// find them; a thread outside has no fiber, and borrows a lane.
//
// [L1] A lane is counted in use before its first push, and that push looks for sleepers ([P4] of parking.md). So
//      whoever gets sleepy later sees the lane in [P2] and [P3], and whoever slept before is notified. Mutant:
//      lane_begins_unasked.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include <nearfork/detail/seam.hpp>

namespace nearfork {

/// Lane: has a deque `jobs`, and an atomic bool `taken` that is false at first. Lanes are made when they are needed and
/// stay to the end: thieves may look at one that nobody uses. Thread-safe.
template <class Lane>
class outside_lanes {
 public:
  /// More threads that push at a time do without.
  static constexpr std::size_t most = 16;

  /// A lane for the calling thread alone, in which all jobs are taken. nullptr: all are in use, or there is no memory.
  [[nodiscard]] Lane* claim() noexcept {
    for (std::size_t i = 0; i < most; ++i) {
      Lane* const one = made_in(i);
      if (one == nullptr) return nullptr;
      if (!try_take(*one)) continue;
      in_use_.fetch_add(1, detail::seam::memory_order_relaxed);
      one->jobs.request();  // [L1]
      return one;
    }
    return nullptr;
  }
  /// All jobs in `own` are taken.
  void give_back(Lane& own) noexcept {
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
      if (look(*one)) return true;
    }
    return false;
  }

 private:
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
  detail::seam::atomic<std::size_t> in_use_{0};
};

}  // namespace nearfork

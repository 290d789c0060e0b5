// Which task of a pipeline calls the source.
//
// A task that has taken an item leaves the source to others while it brings the item through the filters. Where that
// takes less than a microsecond, others only get in its way: handed on with each item, the source gave two workers an
// item in 400 ns, and one worker in 13. So at most one task is called at a time, and it takes the source only when
// nobody has used it for a while.
#pragma once

#include <nearfork/detail/language.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

#include <nearfork/detail/coarse_ticks.hpp>
#include <nearfork/detail/seam.hpp>
#include <nearfork/detail/short_lock.hpp>
#include <nearfork/detail/short_loop.hpp>

namespace nearfork::detail {

/// A *token* is the right to have one item inside. A task that *has* the source calls it, and nobody else does. While a
/// token is free and nobody has the source, a task is called that will take it. The tasks inside do not count: each may
/// wait in its filter for an item that the source has not given yet.
class pipeline_turns {
 public:
  using clock = std::uint64_t (*)() noexcept;
  static constexpr std::uint64_t first_wait = look_up_ticks / 4;  // some 0.7 us
  static constexpr std::uint64_t longest_wait = 16 * first_wait;
  static constexpr std::uint64_t tiny = first_wait;  // an item that takes longer is worth the handing over

  /// What a task does when it is done with its item.
  enum class next : std::uint8_t { has_source, waits_for_turn, ends };
  /// The last item of a task.
  struct turn {
    std::size_t number = 0;
    std::uint64_t began = 0;  // 0: not timed
  };

  /// The first task has the source.
  explicit pipeline_turns(std::size_t tokens, clock now = &coarse_ticks) noexcept : free_tokens_(tokens), now_(now) {}

  /// The caller has taken an item from the source, and leaves the source. True: call another task, which comes().
  [[nodiscard]] bool took_item(turn& mine) noexcept {
    const std::lock_guard locked(mutex_);
    mine.number = taken_++;
    --free_tokens_;
    in_use_ = false;
    return free_tokens_ != 0 && !std::exchange(called_, true);
  }
  /// The caller's item has left the pipeline.
  [[nodiscard]] next item_left(turn& mine) noexcept {
    const std::lock_guard locked(mutex_);
    ++free_tokens_;
    return after_item(mine);
  }
  /// The caller's item waits for a serial filter. Another task brings it out.
  [[nodiscard]] next item_waits(turn& mine) noexcept {
    const std::lock_guard locked(mutex_);
    return after_item(mine);
  }
  /// The caller brings out items that had to wait, and one has left. True: call another task, which comes().
  [[nodiscard]] bool other_left() noexcept {
    const std::lock_guard locked(mutex_);
    ++free_tokens_;
    return !in_use_ && !std::exchange(called_, true);
  }
  /// The caller brought out an item that had to wait, and has nothing else to do. True: it has the source now.
  [[nodiscard]] bool brought_out() noexcept {
    const std::lock_guard locked(mutex_);
    ++free_tokens_;
    return !std::exchange(in_use_, true);
  }
  /// The caller has the source, which gave nothing: nobody gets it any more.
  void source_ended() noexcept {
    const std::lock_guard locked(mutex_);
    ended_.store(true, seam::memory_order_relaxed);
  }

  /// For a task that was called or waits for its turn: true when it has the source, false when it is not needed.
  /// `must_stop()`: the pipeline is cancelled.
  template <class Stop>
  [[nodiscard]] bool comes(const Stop& must_stop) {
    std::size_t seen = items();
    const clock now = now_;  // read once: who has items writes to its line
    for (std::uint64_t wait = first_wait; !must_stop(); wait = std::min(2 * wait, longest_wait)) {
      const std::uint64_t began = now();
      while (!has_ended() && now() - began < wait) seam::pause();
      switch (look(seen, wait == longest_wait)) {
        case sight::is_free: return true;
        case sight::is_moving: break;
        case sight::needs_nobody: return false;
      }
    }
    return false;
  }

 private:
  enum class sight : std::uint8_t { is_free, is_moving, needs_nobody };

  [[nodiscard]] std::size_t items() noexcept {
    const std::lock_guard locked(mutex_);
    return taken_;
  }
  [[nodiscard]] bool has_ended() const noexcept { return ended_.load(seam::memory_order_relaxed); }

  /// Two tasks whose items are tiny take the source from each other all the time. One of them stands back.
  [[nodiscard]] next after_item(turn& mine) noexcept {
    const bool alone = taken_ == mine.number + 1;
    const std::uint64_t began = std::exchange(mine.began, alone ? 0 : now_());
    const bool stands_back = !alone && began != 0 && mine.began - began < tiny;
    if (!in_use_ && free_tokens_ == 0) return next::ends;  // whoever brings an item out takes the source
    if (in_use_ || stands_back) return std::exchange(called_, true) ? next::ends : next::waits_for_turn;
    in_use_ = true;
    return next::has_source;
  }

  [[nodiscard]] sight look(std::size_t& seen, bool is_last) noexcept {
    const std::lock_guard locked(mutex_);
    const bool moved = std::exchange(seen, taken_) != taken_;
    const bool is_free = !in_use_ && free_tokens_ != 0;
    // Where it is free, also after the last look: the task that moved may wait in a filter by now.
    if (moved && (is_free || !is_last)) return sight::is_moving;
    called_ = false;
    if (is_free) {
      in_use_ = true;
      return sight::is_free;
    }
    return sight::needs_nobody;
  }

  short_lock mutex_;
  std::size_t free_tokens_;
  std::size_t taken_ = 0;  // items
  bool in_use_ = true;     // a task has the source
  bool called_ = false;    // a task was called, and has neither taken the source nor ended
  clock now_;
  // In a line of its own, because who waits looks at it all the time.
  alignas(cache_line_bytes) seam::atomic<bool> ended_{false};
};

}  // namespace nearfork::detail

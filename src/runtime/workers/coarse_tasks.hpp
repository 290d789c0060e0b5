// Whether the tasks of a worker take long, so that it shares whatever it has at once.
//
// An owner answers thieves at its next push or join. One that is in a task of 50 us does neither, and a thief that
// takes a job by force waits 5 us for an answer and 7 us for the fence: eight tasks of 50 us took 224 us on two
// workers. So once a thief had to use force, the owner's pushes and joins stay slow, and share half of its jobs each,
// as if a thief asked every time. That goes on while a fifth of them comes microseconds after the one before; where a
// few quick tasks follow now and then, they come one upon another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <nearfork/detail/coarse_ticks.hpp>
#include <nearfork/detail/seam.hpp>
#include <nearfork/detail/short_loop.hpp>

namespace nearfork {

class coarse_tasks {
 public:
  /// A job was taken by force. Any thread; relaxed, because it is a hint.
  void note_force() noexcept { forced_.store(true, detail::seam::memory_order_relaxed); }

  /// The worker's own thread calls it in each slow push and join: whether the next one is to be slow, too.
  [[nodiscard]] bool go_on() noexcept {
    if (forced_.load(detail::seam::memory_order_relaxed)) {
      forced_.store(false, detail::seam::memory_order_relaxed);
      left_ = most;
    }
    return left_ != 0 && look();
  }

 private:
  static constexpr std::uint32_t most = 64;  // more than the pushes of most groups, which come one upon another
  static constexpr std::uint64_t long_ticks = detail::look_up_ticks / 2;

  bool look() noexcept {
    const std::uint64_t now = detail::coarse_ticks();
    left_ = now - before_ > long_ticks ? std::min(most, left_ + 4) : left_ - 1;
    before_ = now;
    return left_ != 0;
  }

  detail::seam::atomic<bool> forced_{false};
  std::uint32_t left_ = 0;  // so many more slow pushes and joins, if all come one upon another
  std::uint64_t before_ = 0;
};

/// The same for tasks that a frame spawns beyond its full deque: whether the pool is worth what it takes, which is 0.1
/// to 0.7 us a task. By the worker alone.
class coarse_spawns {
 public:
  /// One task in 64 is to be timed, also if tasks took long until now.
  [[nodiscard]] bool is_next_timed() noexcept { return seen_++ % 64 == 0; }
  void timed(std::uint64_t ticks) noexcept { coarse_ = ticks > long_ticks; }
  [[nodiscard]] bool are_coarse() const noexcept { return coarse_; }

 private:
  static constexpr std::uint64_t long_ticks = detail::look_up_ticks / 4;

  std::uint32_t seen_ = 0;
  bool coarse_ = false;
};

/// How many tasks of groups a thief takes at a time: so many that they take some microseconds, if they take as long as
/// those before. A steal takes 0.1 to 0.3 us, most of which is to wait for lines that the victim's core has. By the
/// worker alone.
class taken_tasks {
 public:
  static constexpr std::size_t most = 32;
  [[nodiscard]] std::size_t next() const noexcept { return next_; }
  /// `tasks` were taken, and have ended with what they spawned. `helps`: their owner has nothing to do but run them,
  /// and takes 5 ns for what takes a thief 60. A million trivial tasks took 9 ns each if thieves took many at a time,
  /// and take 7.
  void took(std::size_t tasks, std::uint64_t ticks, bool helps) noexcept {
    constexpr std::uint64_t aim = detail::look_up_ticks;
    const bool are_trivial = helps && ticks < tasks * (aim / 20);
    next_ = ticks > 8 * aim || are_trivial ? 1 : std::min(most, detail::next_step(tasks, ticks, aim));
  }

 private:
  std::size_t next_ = 1;
};

}  // namespace nearfork

#include "runtime/wakes/spawning_threads.hpp"

#include <utility>

#include "base/process_number.hpp"
#include "base/threads/thread_activity.hpp"

namespace nearfork {

/// What a thread remembers.
struct spawning_threads::spawner {
  spawning_threads* of = nullptr;  // where it counts
  std::uint32_t joined = 0;        // there
  bool relies = false;
  seat* at = nullptr;        // its last one
  std::uint32_t doubts = 0;  // so many lanes go by before it counts again
  int number = 0;            // 0: not asked for
};

spawning_threads::spawner& spawning_threads::here() noexcept {
  constinit thread_local spawner mine;
  return mine;
}

/// The watcher is a thread, which takes some 50 us to start: programs that spawn seldom do without.
bool spawning_threads::join() noexcept {
  constexpr std::uint32_t few = 8;
  spawner& mine = here();
  if (mine.of == nullptr) mine.of = this;
  if (mine.of != this) return false;
  ++mine.joined;
  if (mine.doubts != 0) --mine.doubts;
  if (mine.relies) {
    resume_here();
    return false;
  }
  const std::uint32_t joined = joined_.load(seam::memory_order_relaxed);
  if (joined < few) joined_.store(joined + 1, seam::memory_order_relaxed);
  return joined >= few;
}

void spawning_threads::rely_on_watcher() noexcept {
  if (!std::exchange(here().relies, true)) relying_.fetch_add(1, seam::memory_order_relaxed);
  resume_here();
}

spawning_threads::last_lane spawning_threads::leave() noexcept {
  spawner& mine = here();
  if (mine.of != this || --mine.joined != 0) return {};
  const last_lane was = stop();
  mine.of = nullptr;
  return was;
}

spawning_threads::last_lane spawning_threads::stop() noexcept {
  spawner& mine = here();
  if (mine.of != this) return {};
  const bool counted = pause_here();
  const bool relied = std::exchange(mine.relies, false);
  if (relied) relying_.fetch_sub(1, seam::memory_order_relaxed);
  return {.relied = relied, .counted = counted};
}

bool spawning_threads::pause_here() noexcept {
  constexpr std::uint32_t many_lanes = 100;
  spawner& mine = here();
  if (mine.of != this || mine.at == nullptr) return false;
  seat& left = *std::exchange(mine.at, nullptr);
  if (free(left, mine.number)) return true;
  if (left.slept.load(seam::memory_order_relaxed) == mine.number) {
    left.slept.store(nobody, seam::memory_order_relaxed);
    mine.doubts = many_lanes;
  }
  return false;
}

/// The watcher may have counted the thread out.
void spawning_threads::resume_here() noexcept {
  spawner& mine = here();
  if (mine.of != this || !mine.relies) return;
  if (mine.number == 0) mine.number = thread_number();
  if (mine.at != nullptr && mine.at->thread.load(seam::memory_order_relaxed) == mine.number) return;
  (void)pause_here();
  if (mine.doubts != 0) return;
  for (seat& one : seats_) {
    int seen = nobody;
    if (one.thread.load(seam::memory_order_relaxed) != nobody ||
        !one.thread.compare_exchange_strong(seen, about_to_sit, seam::memory_order_acquire, seam::memory_order_relaxed))
      continue;
    one.taken.store(one.taken.load(seam::memory_order_relaxed) + 1, seam::memory_order_relaxed);
    sleepers_.begin();  // before the watcher can end it
    one.thread.store(mine.number, seam::memory_order_release);
    mine.at = &one;
    return;
  }
}

/// False: the other one of thread and watcher has done so.
bool spawning_threads::free(seat& one, int thread) noexcept {
  if (!one.thread.compare_exchange_strong(thread, nobody, seam::memory_order_acq_rel, seam::memory_order_acquire))
    return false;
  sleepers_.end();
  return true;
}

bool spawning_threads::look() noexcept {
  constexpr std::uint32_t most_looks = 5;  // 8 to 10 ms
  bool some_counted = false;
  for (seat& one : seats_) {
    const int thread = one.thread.load(seam::memory_order_acquire);
    if (thread == nobody || thread == about_to_sit) continue;
    const std::uint32_t taken = one.taken.load(seam::memory_order_relaxed);
    one.looks = std::exchange(one.seen_taken, taken) == taken ? one.looks + 1 : 1;
    const bool runs = runs_in_system(thread);
    if (runs && one.looks < most_looks) continue;
    one.slept.store(runs ? nobody : thread, seam::memory_order_relaxed);
    if (free(one, thread)) some_counted = true;
  }
  return some_counted;
}

}  // namespace nearfork

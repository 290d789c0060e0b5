// Keeps threads that are woken off the PU of the thread that wakes them.
//
// Some systems wake a thread on the PU of its waker, beside idle PUs. Linux does so in a virtual machine whose host has
// put an idle PU to sleep: to the guest that PU is not available. The woken worker then waits for milliseconds behind
// the one that it is to help. Of regions of 1 ms, with pauses of 5 ms between them, one PU did all the work: 0.93 ms
// each (oneTBB 0.91), and 0.51 so. In a virtual machine, and once a thread has been seen to wake up beside its waker,
// each is kept off the PU of its last waker while it sleeps: it sees to that itself, before and after, by system calls
// of a microsecond. A waker elsewhere corrects it. Awake, a thread may run wherever it could before, and so may threads
// that its tasks make.
//
// A thread of the program that sleeps until its tasks are done is woken while the worker still runs that has ended the
// last one, and may come beside another one. The system leaves both there for milliseconds, also while the first worker
// sleeps again. If the other one works, the thread has half a core; if it looks for work, it counts as awake, and does
// not run, so nobody else is woken. Groups of 4000 tasks of 0.1 us from `main`, two workers: two of three took 630 us,
// the others 350. So the thread has the other worker go on elsewhere.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nearfork/detail/seam.hpp>

#include "machine/live/mask_words.hpp"

namespace nearfork {

class some_pus {
 public:
  /// The number of no PU is in no set.
  void add(std::uint32_t pu) noexcept {
    if (pu < most_pus) words_[pu / bits_per_word] |= 1UL << pu % bits_per_word;
  }
  [[nodiscard]] bool has(std::uint32_t pu) const noexcept {
    return pu < most_pus && (words_[pu / bits_per_word] >> pu % bits_per_word & 1U) != 0;
  }
  /// As in an affinity mask.
  [[nodiscard]] unsigned long word(std::size_t number) const noexcept {
    return number < words_.size() ? words_[number] : 0;
  }

 private:
  std::array<unsigned long, most_pus / bits_per_word> words_{};
};

/// A thread that sleeps and is woken.
class apart_sleeper {
 private:
  friend class woken_apart;
  static constexpr std::uint32_t nowhere = UINT32_MAX;
  enum state : std::uint8_t { free, being_set, restricted };

  /// True: the state was `from`, and the caller may change what follows until end_setting().
  [[nodiscard]] bool begins_to_set(state from) noexcept;
  void end_setting(state to) noexcept;

  detail::seam::atomic<int> thread_{0};                      // the system's number
  detail::seam::atomic<std::uint32_t> woken_from_{nowhere};  // the PU of the last waker
  detail::seam::atomic<std::uint32_t> runs_on_{nowhere};     // the PU, when it last looked
  detail::seam::atomic<state> state_{state::free};
  // Of who has begun to set:
  std::uint32_t kept_off_ = nowhere;
  std::vector<unsigned long> mask_;    // where it could run before
  std::vector<unsigned long> target_;  // of move_off()
};

/// For the threads of one runtime. Thread-safe from open() on.
class woken_apart {
 public:
  /// By the thread that will start the others. Without it, and if there are more threads than PUs that the calling
  /// thread may run on, nothing is done.
  void open(std::size_t threads) noexcept;
  /// The PU that runs the calling thread now.
  [[nodiscard]] static std::uint32_t pu_of_caller() noexcept;
  /// On the thread itself, once, before it sleeps. If it runs beside the one that starts it, it moves.
  void starts(apart_sleeper& self) noexcept;
  /// On the thread itself, before it sleeps.
  void goes_to_sleep(apart_sleeper& self) noexcept;
  /// Any thread, before it wakes this one. Or one that has woken up itself while this one is not up yet.
  void before_wake(apart_sleeper& sleeper) noexcept;
  /// On the thread itself, when it is up.
  void is_up(apart_sleeper& self) noexcept;
  /// On the thread itself, when it begins to work, and again and again while it looks for work. is_up() does it, too.
  void runs(apart_sleeper& self) noexcept;
  /// Where the thread was when it last looked; nowhere: it has not looked.
  [[nodiscard]] static std::uint32_t pu_of(const apart_sleeper& one) noexcept {
    return one.runs_on_.load(detail::seam::memory_order_relaxed);
  }
  static constexpr std::uint32_t nowhere = apart_sleeper::nowhere;
  /// Any thread. This one goes on at none of these PUs, and may run where it could before from then on. False: it does
  /// not, because it sleeps, or may run nowhere else.
  bool move_off(apart_sleeper& one, const some_pus& pus) noexcept;
  /// As if a thread had been woken beside its waker.
  void expect_stacking() noexcept { is_needed_.store(true, detail::seam::memory_order_relaxed); }

 private:
  std::size_t words_ = 0;  // of the system's masks; 0: not open
  std::uint32_t starter_ = apart_sleeper::nowhere;
  detail::seam::atomic<bool> is_needed_{false};
};

}  // namespace nearfork

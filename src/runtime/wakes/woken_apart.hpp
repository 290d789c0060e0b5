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
// A thread of the program that sleeps until its tasks are done is woken while the last worker still runs, and may come
// beside another one that looks for work: that one counts as awake, and does not run, so no third one is woken. The
// system leaves both there for milliseconds. Groups of 4000 tasks of 0.1 us from `main`, two workers: two of three took
// 630 us, the others 350. The thread has the worker move, which is up to be anywhere again once it has work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <nearfork/detail/seam.hpp>

namespace nearfork {

/// A thread that sleeps and is woken.
class apart_sleeper {
 private:
  friend class woken_apart;
  static constexpr std::uint32_t nowhere = UINT32_MAX;
  enum state : std::uint8_t { free, searching, being_set, restricted };

  /// True: the state was `from`, and the caller may change what follows until end_setting().
  [[nodiscard]] bool begins_to_set(state from) noexcept;
  void end_setting(state to) noexcept;
  /// The thread, which calls it, runs elsewhere when this returns, and may be back later.
  void move_off(std::uint32_t pu) noexcept;
  /// The thread, which calls it, may run where it could before. The state is `usual`, unless others have restricted it.
  void begin_to_free(state usual) noexcept;

  detail::seam::atomic<int> thread_{0};                       // the system's number
  detail::seam::atomic<std::uint32_t> woken_from_{nowhere};   // the PU of the last waker
  detail::seam::atomic<std::uint32_t> searches_on_{nowhere};  // the PU, as far as the thread knows
  detail::seam::atomic<state> state_{state::free};
  // Of who has begun to set:
  std::uint32_t kept_off_ = nowhere;
  std::vector<unsigned long> mask_;  // where it could run before
};

/// For the threads of one runtime. Thread-safe from open() on.
class woken_apart {
 public:
  /// By the thread that will start the others. Without it, and if there are more threads than PUs that the calling
  /// thread may run on, nothing is done.
  void open(std::size_t threads) noexcept;
  /// On the thread itself, once, before it sleeps. If it runs beside the one that starts it, it moves.
  void starts(apart_sleeper& self) noexcept;
  /// On the thread itself, before it sleeps.
  void goes_to_sleep(apart_sleeper& self) noexcept;
  /// Any thread, before it wakes this one.
  void before_wake(apart_sleeper& sleeper) noexcept;
  /// On the thread itself, when it is up.
  void is_up(apart_sleeper& self) noexcept;
  /// On the thread itself, when it has looked for work for some time, and then again and again until search_ends().
  void searches(apart_sleeper& self) noexcept;
  /// On the thread itself, before it does anything else.
  void search_ends(apart_sleeper& self) noexcept;
  /// A thread of the program has woken up here: if this one searches on the same PU, it moves.
  void send_off(apart_sleeper& searcher) noexcept;
  /// As if a thread had been woken beside its waker.
  void expect_stacking() noexcept { is_needed_.store(true, detail::seam::memory_order_relaxed); }

 private:
  std::size_t words_ = 0;  // of the system's masks; 0: not open
  std::uint32_t starter_ = apart_sleeper::nowhere;
  detail::seam::atomic<bool> is_needed_{false};
};

}  // namespace nearfork

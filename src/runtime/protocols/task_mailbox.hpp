// Work-mugging on threads: a worker that finds no work takes over the task of a worker on a slower core. A thread
// cannot take a running task from another one, so the task's worker gives it up at a join, through this mailbox.
// (Torng, Wang, Batten, "Asymmetry-Aware Work-Stealing Runtimes", ISCA 2016, interrupt the slow core.)
//
// [G1] The taker, before it sleeps, notes its number in the mailbox of a worker on a slower core.
// [G2] That worker, at a join beyond which it has no jobs to steal, takes the number out and leaves the task's fiber.
//      Off the fiber's stack it puts the fiber into the taker's own mailbox and then wakes the taker, as a publisher
//      does ([P4] of parking.md), and also if others search: they do not look there.
// [G3] A taker that got other work first takes its number back. If the number is gone, the task is on its way: the
//      taker waits for it, a switch of fibers long.
#pragma once

#include <cstdint>
#include <optional>

#include <nearfork/detail/seam.hpp>

namespace nearfork {

/// One for each worker. Few words are written, and only where a faster core has nothing to do.
template <class Task>
class task_mailbox {
 public:
  // --- by takers, on the mailbox of a worker on a slower core ---
  /// [G1] False: somebody else waits there.
  bool ask(std::uint32_t taker) noexcept {
    std::uint32_t nobody = 0;
    return asked_by_.compare_exchange_strong(nobody, taker + 1, detail::seam::memory_order_relaxed,
                                             detail::seam::memory_order_relaxed);
  }
  /// [G3] False: the task is on its way to the taker's own mailbox.
  [[nodiscard]] bool take_back(std::uint32_t taker) noexcept {
    std::uint32_t asked = taker + 1;
    return asked_by_.compare_exchange_strong(asked, 0, detail::seam::memory_order_relaxed,
                                             detail::seam::memory_order_relaxed);
  }

  // --- by the worker on the slower core, on its own ---
  [[nodiscard]] bool is_asked() const noexcept { return asked_by_.load(detail::seam::memory_order_relaxed) != 0; }
  /// [G2] The taker. Nothing: it has taken its number back.
  [[nodiscard]] std::optional<std::uint32_t> agree() noexcept {
    const std::uint32_t asked = asked_by_.exchange(0, detail::seam::memory_order_relaxed);
    return asked == 0 ? std::nullopt : std::optional(asked - 1);
  }

  // --- the taker's own ---
  /// [G2] By the worker that gave the task up. Release: the taker sees what the task did so far.
  void put(Task& given) noexcept { given_.store(&given, detail::seam::memory_order_release); }
  [[nodiscard]] bool has_task() const noexcept { return given_.load(detail::seam::memory_order_relaxed) != nullptr; }
  /// By the taker. nullptr: no task was given.
  [[nodiscard]] Task* try_take() noexcept {
    Task* const given = given_.load(detail::seam::memory_order_acquire);
    if (given != nullptr) given_.store(nullptr, detail::seam::memory_order_relaxed);
    return given;
  }

 private:
  detail::seam::atomic<std::uint32_t> asked_by_{0};  // 0: nobody, else the taker's number + 1
  detail::seam::atomic<Task*> given_{nullptr};
};

/// [G2] Puts `task` into the mailbox of `taker`, a worker of `home`, and wakes it.
template <class Home, class Task>
void give_task(Home& home, Task& task, std::uint32_t taker) {
  home.mailbox_of(taker).put(task);
  (void)home.lot().should_notify();  // orders the task before the look of a taker that gets sleepy later
  home.notify(taker);
}

/// [G3] Ends the wait of `taker`, a worker of `home`, for the task of worker `giver`. Returns the task if it was given;
/// nullptr: it stays where it is.
template <class Home>
[[nodiscard]] auto end_asking(Home& home, std::uint32_t taker, std::uint32_t giver)
    -> decltype(home.mailbox_of(taker).try_take()) {
  if (home.mailbox_of(giver).take_back(taker)) return nullptr;
  for (;;) {
    if (auto* const given = home.mailbox_of(taker).try_take()) return given;
    detail::seam::yield();
  }
}

}  // namespace nearfork

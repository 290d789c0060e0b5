// Relief: further places for what threads outside bring to a crew, while its workers are busy or the system has all of
// them blocked.
//
// A task may wait for a thread of the program, and that thread may call the runtime:
//
//     nearfork::parallel_for(0, 8, [](int) { std::thread([] { nearfork::parallel_for(0, 100, work); }).join(); });
//
// Once all workers wait like that, nobody is left for what they wait for. So a thread outside that sleeps until its
// call is done wakes at times and looks at the crew. If all of its workers are blocked, it hands what lies in the
// injector on to a crew of as many workers, which is made then and kept. That crew may be blocked in its turn, and has
// a relief, too.
//
// A plan may send a task to a domain of which all workers wait like that, while others have no work and may not take
// it. Then the thread outside hands the task on to the domain of one of those.
//
// A task of the call may wait for a call of another runtime, whose workers are blocked. So the thread looks at all
// crews that have work for others. Workers that would sleep while fibers of their crew wait look, too (idling.cpp): the
// thread itself may work as a deputy, or wait for something that is no call.
//
// A call may also find no worker asleep whose place its thread could take, for as long as the calls of other threads
// last. It takes a place in the relief then, and the system shares the cores. Two workers in a loop of 300 ms, called
// again and again: a loop of 80 us in another thread took 290 ms, and takes 81 us so, as oneTBB's. Two threads that
// call loops of 32 us again and again: 28 us a call, and 17 so. Workers of a relief sleep on while the crew leaves no
// core idle. Where the program has regions, a call waits for some milliseconds first: a relief plans nothing
// (docs/design/0008-calls-of-several-threads.md).
//
// What else workers of the crew itself have pushed stays: they go on with it. So do suspended fibers, which belong to
// their crew, and what lies in a lane: the call in which the lane's thread waits brings the rest of it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

#include <nearfork/detail/seam.hpp>

#include "runtime/relief/blocked_crew.hpp"
#include "runtime/relief/busy_crew.hpp"

namespace nearfork {

/// How a thread outside sleeps until a word changes, while it waits for a call of `home`.
class relieving_sleep {
 public:
  explicit relieving_sleep(crew& home) : home_(home) {}
  /// May return early.
  void operator()(detail::seam::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept;
  /// The same for what lies in the injector of `at`. True: it lies there still, as far as the word tells, and all
  /// workers have had other work for some time.
  [[nodiscard]] bool finds_busy(crew& at, detail::seam::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept;
  /// Looks at all crews that have work for others. True: something was handed on.
  bool look() noexcept;
  /// Between two looks, at least. Rare enough to cost nothing: a wake-up takes about 5 us. The second look, at 1.5 ms,
  /// is the first that can tell.
  static constexpr std::uint64_t shortest_ns = 500'000;

 private:
  static constexpr std::uint64_t longest_ns = 100'000'000;

  bool look_at(crew& one) noexcept;

  crew& home_;
  std::uint64_t pause_ns_ = shortest_ns;
  busy_crew busy_looks_;
  std::map<const crew*, blocked_crew> looks_;  // at `home_`, at its relief, at that one's, and at other runtimes'
};

class relief {
 public:
  /// `make` is called once, with the first need. It may throw: then the crew has no relief for that time.
  relief(crew& relieved, std::function<crew&()> make) : relieved_(relieved), make_(std::move(make)) {}

  /// The crew for a call of `home` that begins now: `home` itself, unless it was blocked at the last look and still is.
  [[nodiscard]] static crew& crew_for_call(crew& home) noexcept;
  /// The crew for a call that finds no place in `busy`; nullptr: it waits for the workers of `busy`.
  [[nodiscard]] static crew* beside(crew& busy) noexcept;
  /// The same after looks that found all of them in other work.
  [[nodiscard]] static crew* make_beside(crew& busy) noexcept;
  /// The same if there was a make_beside(), and no call has seen an idle worker since.
  [[nodiscard]] static crew* beside_long_work(crew& busy) noexcept;
  /// A call of `busy` went there.
  static void count_beside(crew& busy) noexcept;
  /// After a look that found all workers blocked: hands on what may go. False: there is no memory or no thread for
  /// that, and all or a part stays.
  [[nodiscard]] bool hand_on() noexcept;
  [[nodiscard]] crew& relieved() const noexcept { return relieved_; }
  /// What threads outside do while they sleep, by workers of the relieved crew that do.
  static void look_for_sleepers(relief& of) noexcept;
  /// nullptr: there was no need so far.
  [[nodiscard]] crew* made() const noexcept;
  /// How many calls and tasks it was given, because workers were blocked or busy.
  [[nodiscard]] std::uint64_t given() const noexcept { return given_.load(detail::seam::memory_order_relaxed); }
  /// Of these, because workers were busy.
  [[nodiscard]] std::uint64_t given_by_busy() const noexcept {
    return given_by_busy_.load(detail::seam::memory_order_relaxed);
  }

 private:
  /// Throws what `make_` throws.
  crew& get();
  /// nullptr: there is no memory, or no threads, or each task is to be seen.
  [[nodiscard]] crew* get_for_calls() noexcept;
  [[nodiscard]] bool still_blocked() noexcept;
  /// The program has regions.
  [[nodiscard]] bool may_plan() const noexcept;

  crew& relieved_;
  const std::function<crew&()> make_;
  std::mutex mutex_;
  std::optional<blocked_crew> last_;  // guarded by mutex_: the look that found the crew blocked
  std::mutex sleepers_mutex_;
  relieving_sleep sleepers_{relieved_};  // guarded by sleepers_mutex_, as their last look
  std::uint64_t sleepers_looked_ns_ = 0;
  detail::seam::atomic<crew*> made_{nullptr};
  detail::seam::atomic<std::uint64_t> given_{0};
  detail::seam::atomic<std::uint64_t> given_by_busy_{0};
  detail::seam::atomic<bool> is_busy_{false};  // of beside_long_work()
  detail::seam::atomic<bool> is_refused_{false};
};

}  // namespace nearfork

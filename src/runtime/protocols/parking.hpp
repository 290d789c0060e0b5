// Parking: when a worker may sleep and who wakes it. The protocol and its proof: parking.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

#include <nearfork/detail/seam.hpp>

namespace nearfork {

namespace seam = detail::seam;

/// How many workers search and how many are sleepy or parked: one word, so that a publisher reads both at once.
class idle_counts {
 public:
  constexpr explicit idle_counts(std::uint64_t bits) noexcept : bits_(bits) {}
  [[nodiscard]] constexpr std::uint32_t searching() const noexcept { return static_cast<std::uint32_t>(bits_); }
  [[nodiscard]] constexpr std::uint32_t sleeping() const noexcept { return static_cast<std::uint32_t>(bits_ >> 32); }
  static constexpr std::uint64_t one_searching = 1;
  static constexpr std::uint64_t one_sleeping = std::uint64_t{1} << 32;

 private:
  std::uint64_t bits_;
};

/// Sleeps while `word` is `expected`; may return early.
struct wait_by_futex {
  void operator()(seam::atomic<std::uint32_t>& word, std::uint32_t expected) const noexcept {
    seam::futex_wait(word, expected);
  }
};

class parking_lot {
 public:
  explicit parking_lot(std::uint32_t workers, std::uint32_t most_searching)
      : berths_(std::make_unique<berth[]>(workers)), workers_(workers), most_searching_(std::max(1U, most_searching)) {}

  /// An active worker ran out of work. False: enough others search, go on to get_sleepy().
  [[nodiscard]] bool try_search() noexcept {
    // Relaxed: the bound is a matter of economy, not of correctness.
    auto bits = counts_.load(seam::memory_order_relaxed);
    while (idle_counts(bits).searching() < most_searching_)
      if (counts_.compare_exchange_weak(bits, bits + idle_counts::one_searching, seam::memory_order_relaxed,
                                        seam::memory_order_relaxed))
        return true;
    return false;
  }

  /// A searching worker found work. True: it was the last one to search and others sleep: wake one,
  /// since where one job was there may be more. [P5]
  [[nodiscard]] bool found_work() noexcept {
    const idle_counts before(counts_.fetch_sub(idle_counts::one_searching, seam::memory_order_acq_rel));
    return before.searching() == 1 && before.sleeping() > 0;
  }

  enum class from : std::uint8_t { active, searching };

  /// [P1] From here on publishers see this worker. The caller then asks every deque for work [P2], looks at every
  /// source once more [P3], and calls stay_awake() or park().
  /// Returns the counts with this worker among the sleeping ones.
  idle_counts get_sleepy(std::uint32_t worker, from state) noexcept {
    berths_[worker].word.store(sleepy, seam::memory_order_relaxed);  // counts_ below releases it
    const auto step = idle_counts::one_sleeping - (state == from::searching ? idle_counts::one_searching : 0);
    // Acquire: what was published before a publisher's look [P4] at the counts is visible to [P3].
    // Release: our berth is visible to a publisher that looks later.
    return idle_counts(counts_.fetch_add(step, seam::memory_order_acq_rel) + step);
  }

  /// [P3] found something: this worker searches again, whether or not another worker notified it.
  void stay_awake(std::uint32_t worker) noexcept {
    auto& word = berths_[worker].word;
    auto expected = sleepy;
    if (word.compare_exchange_strong(expected, active, seam::memory_order_acq_rel, seam::memory_order_relaxed))
      move_to_searching();
    else await_notification(word);
  }

  /// Sleeps until notified; then this worker searches. Meanwhile a deputy may borrow the worker's place. `sleep` is
  /// how: seam::futex_wait(), or what may also return early. If it can linger(), the worker does so before it gets up:
  /// a deputy may still come in its stead [P10].
  template <class Sleep = wait_by_futex>
  void park(std::uint32_t worker, Sleep&& sleep = {}) noexcept {
    berth& own = berths_[worker];
    auto expected = sleepy;
    if (!own.word.compare_exchange_strong(expected, parked, seam::memory_order_acq_rel, seam::memory_order_relaxed))
      return await_notification(own.word);
    while (!leave_bed(own)) {
      sleep(own.bed, asleep);
      if constexpr (requires { sleep.linger(own.bed, up); }) sleep.linger(own.bed, up);
    }
  }
  /// The same for a deputy in the worker's place, which nobody else can borrow.
  template <class Sleep = wait_by_futex>
  void park_as_deputy(std::uint32_t worker, Sleep&& sleep = {}) noexcept {
    await_notification(berths_[worker].word, sleep);
  }

  /// [P8] A deputy takes the place of a worker that is parked, and is active in it. False: the worker is not parked.
  /// count_borrowed() is to follow.
  [[nodiscard]] bool try_borrow(std::uint32_t worker) noexcept {
    auto& word = berths_[worker].word;
    if (word.load(seam::memory_order_relaxed) != parked) return false;
    auto expected = parked;
    // Acquire: the deputy uses what the worker left.
    return word.compare_exchange_strong(expected, active, seam::memory_order_acq_rel, seam::memory_order_relaxed);
  }
  /// [P10] A deputy takes the place of a worker that was notified and is not up yet, and searches in its stead. False:
  /// there is no such worker. found_work() is to follow.
  [[nodiscard]] bool try_relieve(std::uint32_t worker) noexcept {
    return is_woken(worker) && leave_bed(berths_[worker]);
  }
  /// Racy. The worker was notified and is not up yet.
  [[nodiscard]] bool is_woken(std::uint32_t worker) const noexcept {
    return berths_[worker].bed.load(seam::memory_order_relaxed) == up;
  }
  /// [P8] The deputy's fiber is the present one of its place. False: some worker sleeps and none searches, so nobody
  /// else asks the deputy for work: it must ask itself. True: a worker that sleeps later asks, because [P1] comes after
  /// this and acquires it; and so does a worker that searches.
  [[nodiscard]] bool count_borrowed() noexcept {
    const auto before = counts_.fetch_sub(idle_counts::one_sleeping, seam::memory_order_acq_rel);
    const idle_counts now(before - idle_counts::one_sleeping);
    return now.sleeping() == 0 || now.searching() > 0;
  }
  /// The deputy has got sleepy in the worker's place, and leaves it. The worker sleeps on, unless it was notified.
  void give_back_asleep(std::uint32_t worker) noexcept {
    auto& word = berths_[worker].word;
    auto expected = sleepy;
    // Release: the worker uses what the deputy left.
    if (word.compare_exchange_strong(expected, parked, seam::memory_order_acq_rel, seam::memory_order_relaxed)) return;
    await_notification(word);
    get_up(berths_[worker]);
  }
  /// The same, but [P3] found something: the worker wakes and searches.
  void give_back_awake(std::uint32_t worker) noexcept {
    stay_awake(worker);
    get_up(berths_[worker]);
  }

  /// [P4] After publishing work: true if a worker sleeps and none searches. A read-modify-write, so that it
  /// and the one of get_sleepy() are ordered: the later of the two sees the other's side.
  [[nodiscard]] bool should_notify() noexcept {
    const idle_counts now(counts_.fetch_add(0, seam::memory_order_acq_rel));
    return now.searching() == 0 && now.sleeping() > 0;
  }
  /// Wakes `worker` if it is sleepy or parked; false if it is not.
  /// [P6] It is counted as searching before it can go on: it may find work and count itself out at once, and the last
  /// searcher's duty [P5] hangs on the count.
  bool notify(std::uint32_t worker) noexcept {
    berth& its = berths_[worker];
    auto seen = its.word.load(seam::memory_order_relaxed);
    // The loop ends: a worker goes from sleepy to parked once.
    while (seen == sleepy || seen == parked)
      if (its.word.compare_exchange_strong(seen, claimed, seam::memory_order_acq_rel, seam::memory_order_relaxed)) {
        move_to_searching();
        if (seen == parked) get_up(its);
        else wake(its.word, notified);
        return true;
      }
    return false;
  }

  /// What notify() looks at first, without a notification.
  [[nodiscard]] bool can_be_notified(std::uint32_t worker) const noexcept {
    const auto seen = berths_[worker].word.load(seam::memory_order_relaxed);
    return seen == sleepy || seen == parked;
  }

  [[nodiscard]] std::uint32_t workers() const noexcept { return workers_; }
  [[nodiscard]] idle_counts approx_counts() const noexcept {
    return idle_counts(counts_.load(seam::memory_order_relaxed));
  }

 private:
  static constexpr std::uint32_t active = 0;
  static constexpr std::uint32_t sleepy = 1;
  static constexpr std::uint32_t claimed = 2;  // by a notifier that is about to write notified
  static constexpr std::uint32_t notified = 3;
  static constexpr std::uint32_t parked = 4;

  static constexpr std::uint32_t asleep = 0;
  static constexpr std::uint32_t up = 1;

  struct alignas(detail::cache_line_bytes) berth {
    seam::atomic<std::uint32_t> word{active};
    /// What a parked worker sleeps on. A deputy in its place sleeps on the word.
    seam::atomic<std::uint32_t> bed{asleep};
  };

  /// Release: await_notification() and park() acquire what we published.
  static void wake(seam::atomic<std::uint32_t>& where, std::uint32_t with) noexcept {
    where.store(with, seam::memory_order_release);
    seam::futex_wake_one(where);
  }
  /// Wakes a parked worker, whose place is the caller's now.
  static void get_up(berth& its) noexcept {
    its.word.store(active, seam::memory_order_relaxed);  // before the worker is up
    wake(its.bed, up);
  }
  /// One goes: the worker itself, or a deputy in its stead [P10].
  static bool leave_bed(berth& its) noexcept {
    auto expected = up;
    // Acquire: whoever goes sees what the notifier published, or what the deputy left.
    return its.bed.compare_exchange_strong(expected, asleep, seam::memory_order_acquire, seam::memory_order_relaxed);
  }

  template <class Sleep = wait_by_futex>
  static void await_notification(seam::atomic<std::uint32_t>& word, Sleep&& sleep = {}) noexcept {
    for (auto seen = word.load(seam::memory_order_acquire); seen != notified;
         seen = word.load(seam::memory_order_acquire))
      sleep(word, seen);
    word.store(active, seam::memory_order_relaxed);  // ours alone until the next get_sleepy()
  }
  void move_to_searching() noexcept {
    counts_.fetch_sub(idle_counts::one_sleeping - idle_counts::one_searching, seam::memory_order_acq_rel);
  }

  std::unique_ptr<berth[]> berths_;
  std::uint32_t workers_;
  std::uint32_t most_searching_;
  alignas(detail::cache_line_bytes) seam::atomic<std::uint64_t> counts_{0};
};

}  // namespace nearfork

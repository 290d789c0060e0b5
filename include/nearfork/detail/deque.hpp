// The split deque: jobs that nobody else can see cost their owner plain loads and stores.
//
// After Lace (van Dijk and van de Pol, "Lace: non-blocking split deque for work-stealing", Euro-Par Workshops
// 2014). It differs: a thief's wish for work and the deque's end are one limit, so that a fork has one
// compare for both; a wish hides the private part as well, so that a join's only compare sees it, too; a slot
// is one pointer; tail and split move by read-modify-writes of one word, so that no fence is needed anywhere.
//
//   slots [tail, split)  shared: thieves take the oldest by a CAS of {tail, split}
//   slots [split, head)  private: the owner pushes and pops with plain loads and stores
//
// One deque belongs to one fiber, not to one worker: a frame knows its own slot, also after its fiber
// went on elsewhere. LIFO nesting gives the rest: when a join finds its slot stolen, all older slots
// are stolen too, so a fiber that waits has an empty deque.
//
// [D1] A shared slot is written before the release in publish() and read after the acquire in steal().
// [D2] Only the owner moves split, only thieves move tail, all in one word: nobody takes a slot twice.
// [D3] A thief reads the slot after its CAS. The slot stays: the owner reuses it only after the
//      stolen job is done, which the thief says after it has read the slot.
// [D4] A request clears the limit and hides the private part: the owner's next push or join is slow, whichever
//      comes first. The owner alone raises and shows them again.
// [D5] Whoever cancels work says so first and then calls request_look(). The owner raises the limit, publishes, and then looks:
//      of the two read-modify-writes of the range the later one sees what came before the earlier one. So either the owner
//      sees the cancellation, or the request comes after the limit was raised and stands. Mutant: publish_before_looking_relaxed.
#pragma once

#include <cstddef>
#include <cstdint>

#include <nearfork/detail/seam.hpp>

namespace nearfork::detail {

class job;

using slot = seam::atomic<job*>;

/// The word that owner and thieves share: indices of the oldest shared slot and of the first private one.
class shared_range {
 public:
  constexpr shared_range() noexcept = default;
  constexpr explicit shared_range(std::uint64_t bits) noexcept : bits_(bits) {}
  constexpr shared_range(std::uint32_t tail, std::uint32_t split) noexcept : bits_(tail | std::uint64_t{split} << 32) {}

  [[nodiscard]] constexpr std::uint32_t tail() const noexcept { return static_cast<std::uint32_t>(bits_); }
  [[nodiscard]] constexpr std::uint32_t split() const noexcept { return static_cast<std::uint32_t>(bits_ >> 32); }
  [[nodiscard]] constexpr bool empty() const noexcept { return tail() >= split(); }
  [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }
  /// What to add to the word to move split up by `count`.
  [[nodiscard]] static constexpr std::uint64_t split_step(std::uint32_t count) noexcept {
    return std::uint64_t{count} << 32;
  }

 private:
  std::uint64_t bits_ = 0;
};

enum class steal_outcome : std::uint8_t { stolen, empty, contended };

struct steal_result {
  steal_outcome outcome;
  job* taken;               // set when stolen
  bool was_last;            // set when stolen: nothing shared remains
  std::uint32_t index = 0;  // set when stolen: of its slot
};

template <std::uint32_t Capacity>
class basic_deque {
 public:
  basic_deque() noexcept { owner_reset(); }
  basic_deque(const basic_deque&) = delete;
  basic_deque& operator=(const basic_deque&) = delete;

  // --- the owner's fast path: no fence, no read-modify-write ---

  [[nodiscard]] slot* owner_head() const noexcept { return head_; }

  /// Writes `pushed` to the slot at head. False: the caller must go the slow way first, since
  /// the deque is full, a thief asked, or a plan wants to be asked (the limit is cleared).
  [[nodiscard]] bool owner_offer(slot* head, job* pushed) noexcept {
    head->store(pushed, seam::memory_order_relaxed);  // [D1] publishing releases it
    return owner_may_push(head);                      // [D4] a hint: late is fine
  }
  void owner_set_head(slot* head) noexcept { head_ = head; }
  /// owner_offer()'s answer ahead of the offer.
  [[nodiscard]] bool owner_may_push(slot* head) const noexcept {
    return head < limit_.load(seam::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t owner_index(slot* position) const noexcept {
    return static_cast<std::size_t>(position - slots_.items);
  }

  /// True if the job in `position`, the youngest one, is the owner's again. False: it was shared, or a thief asked;
  /// the caller must go the slow way.
  [[nodiscard]] bool owner_sees_private(slot* position) const noexcept {
    return position >= private_from_.load(seam::memory_order_relaxed);  // [D4]
  }

  // --- the owner's slow path ---

  [[nodiscard]] bool owner_full(slot* head) const noexcept { return head >= slots_.items + Capacity; }
  [[nodiscard]] slot* owner_bottom() noexcept { return slots_.items; }

  /// True if the job in `position`, the youngest one, is private, whoever asked.
  [[nodiscard]] bool owner_has_private(slot* position) const noexcept { return position >= split_; }

  /// Shares the older half of the private jobs, at least one; there must be one.
  void owner_publish() noexcept { share(static_cast<std::uint32_t>((head_ - split_ + 1) / 2)); }
  /// Shares all private jobs.
  void owner_publish_all() noexcept { share(static_cast<std::uint32_t>(head_ - split_)); }

  /// The youngest job, in `position`, was shared, or a thief asked. True: it is the owner's again, with the younger
  /// half of those below; the older half is shared, so that thieves do not starve during a long leaf.
  /// False: stolen, and so is all below.
  [[nodiscard]] bool owner_take_back(slot* position) noexcept {
    const auto index = static_cast<std::uint32_t>(owner_index(position));
    auto bits = range_.load(seam::memory_order_relaxed);
    for (;;) {
      const auto tail = shared_range(bits).tail();
      if (tail > index) return false;
      const auto split = (tail + index) / 2;
      // Release is [D1] for the slots that were private, and keeps the release sequence of publish() for those that
      // stay shared; relaxed on failure: the loop only needs a newer value.
      if (range_.compare_exchange_weak(bits, shared_range(tail, split).bits(), seam::memory_order_acq_rel,
                                       seam::memory_order_relaxed)) {
        split_ = slots_.items + split;
        show_private();
        return true;
      }
    }
  }

  /// The job in `position` was stolen and is done: the deque is empty up to there.
  /// Release: no thief acts on an empty range, but one that takes a job published later must not see
  /// this store without what came before it.
  void owner_forget(slot* position) noexcept {
    const auto index = static_cast<std::uint32_t>(owner_index(position));
    range_.store(shared_range(index, index).bits(), seam::memory_order_release);
    split_ = head_ = position;
    show_private();
  }

  void owner_reset() noexcept {
    owner_forget(slots_.items);
    limit_.store(nullptr, seam::memory_order_relaxed);  // the first push looks who sleeps
  }

  /// [D4] Pushes are fast again. Before publish(), so that it wipes out no wish that publish() did not answer; the
  /// private part is shown by publish() itself.
  void owner_raise_limit() noexcept { limit_.store(slots_.items + Capacity, seam::memory_order_relaxed); }

  /// [D4] Every push is slow, and requested() says whether somebody asked since. Before publish(), as owner_raise_limit().
  void owner_close_limit() noexcept { limit_.store(slots_.items, seam::memory_order_relaxed); }

  // --- anyone ---

  /// [D4] The owner's next push or join will be slow. Relaxed: the owner needs nothing of ours.
  void request() noexcept {
    // The loads first: many thieves at one victim would else fight for the line that each push reads.
    if (limit_.load(seam::memory_order_relaxed) != nullptr) limit_.store(nullptr, seam::memory_order_relaxed);
    if (private_from_.load(seam::memory_order_relaxed) != hidden())
      private_from_.store(hidden(), seam::memory_order_relaxed);
  }
  /// [D5] request(), and an owner that raises its limit just now looks afterwards.
  void request_look() noexcept {
    range_.fetch_add(0, seam::memory_order_acq_rel);
    request();
  }
  [[nodiscard]] bool requested() const noexcept { return limit_.load(seam::memory_order_relaxed) == nullptr; }

  /// Takes the oldest shared job. Acquire pairs with publish() [D1].
  [[nodiscard]] steal_result steal() noexcept {
    auto bits = range_.load(seam::memory_order_relaxed);
    const shared_range range(bits);
    if (range.empty()) return {steal_outcome::empty, nullptr, false};
    const shared_range rest(range.tail() + 1, range.split());
    if (!range_.compare_exchange_strong(bits, rest.bits(), seam::memory_order_acquire, seam::memory_order_relaxed))
      return {steal_outcome::contended, nullptr, false};
    return {steal_outcome::stolen, slots_.items[range.tail()].load(seam::memory_order_relaxed), rest.empty(),
            range.tail()};  // [D3]
  }

  /// Racy: only a hint, except to a worker that is about to park (parking.md, [P3]).
  [[nodiscard]] bool looks_empty() const noexcept {
    return shared_range(range_.load(seam::memory_order_relaxed)).empty();
  }

 private:
  /// Above all slots: no job is seen as private.
  [[nodiscard]] slot* hidden() noexcept { return slots_.items + Capacity + 1; }
  void show_private() noexcept { private_from_.store(split_, seam::memory_order_relaxed); }

  /// Release: [D1], and the raised limit for request_look() [D5]. Acquire: what was said before request_look() [D5].
  void share(std::uint32_t count) noexcept {
    split_ += count;
    range_.fetch_add(shared_range::split_step(count), seam::memory_order_acq_rel);
    show_private();
  }

  // The owner's line: limit_ and private_from_ alone are written by others, and rarely.
  slot* head_;
  seam::atomic<slot*> limit_;
  seam::atomic<slot*> private_from_;  // split_, or hidden()
  slot* split_;
  // The thieves' line.
  alignas(cache_line_bytes) seam::atomic<std::uint64_t> range_;
  // Own lines: thieves' CASes must not slow the pushes. One more than the capacity: a full deque still has
  // a slot to write to before it looks at the limit.
  alignas(cache_line_bytes) seam::unwritten<slot, Capacity + 1> slots_;
};

}  // namespace nearfork::detail

// The split deque: private jobs, which no thief can see, cost their owner plain loads and stores.
//
// It follows Lace (van Dijk and van de Pol, "Lace: non-blocking split deque for work-stealing", Euro-Par Workshops
// 2014), with these differences. A thief's request and the deque's end are one limit, so that a fork has one compare
// for both. A request also hides the private part, so that the only compare of a join sees the request, too. A slot is
// one pointer. Tail and split move by read-modify-writes of one word, so that no fence is needed.
//
//   slots [tail, split)  shared: thieves take the oldest by a CAS of {tail, split, epoch}
//   slots [split, head)  private: the owner pushes and pops with plain loads and stores
//
// A deque belongs to a fiber and not to a worker: so a frame knows its own slot also after its fiber has moved to
// another worker. Jobs nest (LIFO): when a join finds its slot stolen, all older slots are stolen, too. So a waiting
// fiber has an empty deque.
//
// [D1] A shared slot is written before the release in publish() and read after the acquire in steal().
// [D2] Only thieves move tail, and only the owner and [D6] move split. Both are in one word, so no slot is taken twice.
// [D3] A thief reads the slot before its CAS. If the CAS succeeds, the slot was not written meanwhile: before the owner
//      writes it again, it takes the job back or learns that the job is stolen, and raises the epoch. The CAS releases,
//      so that the owner's next write comes after the read. Mutant: slot_is_read_late.
// [D4] A request clears the limit and hides the private part. So the owner's next push or join, whichever comes first,
//      takes the slow path. Only the owner raises the limit and shows the private part again.
// [D5] A thread that cancels work first sets the cancellation and then calls request_look(). The owner raises the
//      limit, publishes, and then looks. Both do a read-modify-write of the range, and the later one sees what came
//      before the earlier one. So either the owner sees the cancellation, or the request comes after the limit was
//      raised and is not wiped out. Mutant: publish_before_looking_relaxed.
// [D6] Force: an owner in a long task answers no request. A thief may then share the private jobs itself. It
//        a. reads the range and sees that the private part is hidden and not empty (unanswered()),
//        b. has all threads pass a full fence (seam::heavy_fence(), which interrupts the threads that run),
//        c. reads head and moves split up to it, if the epoch is still the one of a. (open_by_force()).
//      The owner stores the lowered head before it looks whether the job is private. If it looks before the fence, c.
//      sees the lowered head and leaves the job alone. If it looks after the fence, it sees that the private part is
//      hidden, and takes the slow path. Whatever shows the private part again does so before it raises the epoch. So if
//      the epoch is unchanged, the private part is still hidden, and no job below head was taken since b.
//      Mutants: pop_looks_first, force_ignores_epoch, show_after_epoch, push_relaxed.
// [D7] An owner may leave requests unanswered for one push: it raises the limit, pushes, and makes the request anew. So
//      its next push or join is slow, and until then the private part is hidden, as [D6] needs it. Mutant:
//      held_request_is_lost.
// [D8] An owner that takes back shows the private part before its CAS. If the CAS fails because the job is stolen, the
//      private part is hidden again, or the next join of the same slot would take the job for private. Mutant:
//      stolen_stays_shown.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <nearfork/detail/seam.hpp>

namespace nearfork::detail {

class job;

using slot = seam::atomic<job*>;

/// The word that the owner and the thieves share: the indices of the oldest shared slot (tail) and of the first private
/// slot (split), and how often the owner has shown its private part (epoch).
class shared_range {
 public:
  static constexpr std::uint32_t most = UINT16_MAX;  // the highest index

  constexpr shared_range() noexcept = default;
  constexpr explicit shared_range(std::uint64_t bits) noexcept : bits_(bits) {}
  constexpr shared_range(std::uint32_t tail, std::uint32_t split, std::uint32_t epoch) noexcept
      : bits_(tail | std::uint64_t{split} << 16 | std::uint64_t{epoch} << 32) {}

  [[nodiscard]] constexpr std::uint32_t tail() const noexcept { return static_cast<std::uint16_t>(bits_); }
  [[nodiscard]] constexpr std::uint32_t split() const noexcept { return static_cast<std::uint16_t>(bits_ >> 16); }
  [[nodiscard]] constexpr std::uint32_t epoch() const noexcept { return static_cast<std::uint32_t>(bits_ >> 32); }
  [[nodiscard]] constexpr bool empty() const noexcept { return tail() >= split(); }
  [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }

  [[nodiscard]] constexpr shared_range without_oldest() const noexcept { return {tail() + 1, split(), epoch()}; }
  [[nodiscard]] constexpr shared_range forced_to(std::uint32_t split) const noexcept {
    return {tail(), split, epoch()};
  }
  [[nodiscard]] constexpr shared_range shown_from(std::uint32_t split) const noexcept {
    return {tail(), split, epoch() + 1};
  }

 private:
  std::uint64_t bits_ = 0;
};

enum class steal_outcome : std::uint8_t { stolen, empty, contended };

struct steal_result {
  steal_outcome outcome;
  job* taken;               // if stolen: the job
  bool was_last;            // if stolen: no shared job remains
  std::uint32_t index = 0;  // if stolen: the index of its slot
};

template <std::uint32_t Capacity>
class basic_deque {
 public:
  basic_deque() noexcept { owner_reset(); }
  basic_deque(const basic_deque&) = delete;
  basic_deque& operator=(const basic_deque&) = delete;

  // --- the owner's fast path: no fence, no read-modify-write ---

  [[nodiscard]] slot* owner_head() const noexcept { return head_.load(seam::memory_order_relaxed); }

  /// Writes `pushed` to the slot at head. False: the caller must take the slow path first, because the deque is full, a
  /// thief asked, or a plan decides about each fork (the limit is cleared).
  [[nodiscard]] bool owner_offer(slot* head, job* pushed) noexcept {
    owner_put(head, pushed);
    return owner_may_push(head);  // [D4] a hint: late is fine
  }
  /// The same after owner_may_push() was true.
  void owner_put(slot* head, job* pushed) noexcept {
    head->store(pushed, seam::memory_order_relaxed);  // [D1] publish() releases it, and so does owner_set_head() [D6]
  }
  /// Release: pairs with open_by_force() [D6]. On x86-64 this is a plain store.
  void owner_set_head(slot* head) noexcept { head_.store(head, seam::memory_order_release); }
  /// What owner_offer() would return.
  [[nodiscard]] bool owner_may_push(slot* head) const noexcept {
    return head < limit_.load(seam::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t owner_index(const slot* position) const noexcept {
    return static_cast<std::size_t>(position - slots_.items);
  }
  /// The slot with an index that steal() returned. Any thread.
  [[nodiscard]] const slot* position_of(std::uint32_t index) const noexcept { return slots_.items + index; }

  /// The element of `items`, which has one for each slot, that belongs to `position`. Two instructions: a compiler does
  /// not know that owner_index() leaves no remainder.
  template <class T>
  [[nodiscard]] T& owner_beside(T* items, const slot* position) const noexcept {
    static_assert(sizeof(T) % sizeof(slot) == 0);
    const auto offset = reinterpret_cast<std::uintptr_t>(position) - reinterpret_cast<std::uintptr_t>(slots_.items);
    return *reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(items) + offset * (sizeof(T) / sizeof(slot)));
  }

  /// Takes the job in `position`, the youngest job. True: the job is the owner's again. False: the job was shared, or a
  /// thief asked. The caller must then take the slow path.
  [[nodiscard]] bool owner_pop(slot* position) noexcept {
    owner_set_head(position);
    seam::light_fence();                                                // [D6]
    return position >= private_from_.load(seam::memory_order_relaxed);  // [D4]
  }

  // --- the owner's slow path ---

  [[nodiscard]] bool owner_has_room(slot* head, std::size_t count) const noexcept {
    return count <= static_cast<std::size_t>(slots_.items + Capacity - head);
  }
  [[nodiscard]] bool owner_full(slot* head) const noexcept { return !owner_has_room(head, 1); }
  [[nodiscard]] slot* owner_bottom() noexcept { return slots_.items; }

  /// True if the job in `position` is private, also if a thief asked.
  [[nodiscard]] bool owner_has_private(slot* position) const noexcept {
    return owner_index(position) >= shared_range(range_.load(seam::memory_order_relaxed)).split();
  }

  /// True: all jobs that were pushed are stolen. One look: between two a thief may share what was private [D6].
  /// Acquire: thieves have read the slots [D3].
  [[nodiscard]] bool owner_lost_all() const noexcept {
    return shared_range(range_.load(seam::memory_order_acquire)).tail() >= owner_index(owner_head());
  }

  /// Jobs that nobody has taken.
  [[nodiscard]] std::size_t owner_count() const noexcept {
    return head_index() - shared_range(range_.load(seam::memory_order_relaxed)).tail();
  }
  [[nodiscard]] std::size_t owner_private_count() const noexcept {
    return owner_index(owner_head()) - shared_range(range_.load(seam::memory_order_relaxed)).split();
  }

  /// Shares the older half of the private jobs, at least one.
  void owner_publish() noexcept {
    share([](std::uint32_t count) { return (count + 1) / 2; });
  }
  /// Shares all private jobs.
  void owner_publish_all() noexcept {
    share([](std::uint32_t count) { return count; });
  }

  /// Takes back the youngest job, in `position`, after it was shared or a thief asked. True: the job is the owner's
  /// again, and so is the younger half of the jobs below it. The older half, at least one, is shared, so that thieves
  /// do not starve during a long leaf. False: the job was stolen, and so were all jobs below it.
  [[nodiscard]] bool owner_take_back(slot* position) noexcept {
    return take_back(position, [](shared_range now, std::uint32_t index) { return (now.tail() + index + 1) / 2; });
  }
  /// The same, and nothing is shared that was not.
  [[nodiscard]] bool owner_take_back_alone(slot* position) noexcept {
    return take_back(position, [](shared_range now, std::uint32_t index) { return std::min(now.split(), index); });
  }

  /// Call it when the job in `position` is known to be stolen: the deque is empty up to there.
  /// Release: no thief acts on an empty range. But a thief that takes a job published later must not see
  /// this store without what came before it.
  void owner_forget(slot* position) noexcept {
    const auto index = static_cast<std::uint32_t>(owner_index(position));
    const std::uint32_t epoch = owner_epoch() + 1;
    owner_set_head(position);
    show_private_from(index);  // before the epoch [D6]
    range_.store(shared_range(index, index, epoch).bits(), seam::memory_order_release);
  }

  /// What the next owner_reset() of these bytes is to go on from, if they become zero meanwhile: a thief that was
  /// stopped before its CAS must not find the range as it was [D3].
  [[nodiscard]] std::uint32_t owner_epoch() const noexcept {
    return shared_range(range_.load(seam::memory_order_relaxed)).epoch();
  }
  void owner_reset(std::uint32_t epoch_before = 0) noexcept {
    range_.store(shared_range(0, 0, epoch_before).bits(), seam::memory_order_relaxed);
    owner_forget(slots_.items);
    limit_.store(nullptr, seam::memory_order_relaxed);  // the first push looks for sleeping workers
  }

  /// [D4] Makes pushes fast again. Call it before publish(), so that it wipes out only requests that publish() answers.
  /// publish() itself shows the private part.
  void owner_raise_limit() noexcept { limit_.store(slots_.items + Capacity, seam::memory_order_relaxed); }

  /// [D7] True: thieves have asked, the next push does not answer, and request() must follow it.
  [[nodiscard]] bool owner_hold_requests() noexcept {
    if (!requested()) return false;
    owner_raise_limit();
    return true;
  }

  /// [D4] Makes every push slow; requested() tells whether a thief has asked since. Call it before publish(), as
  /// owner_raise_limit().
  void owner_close_limit() noexcept { limit_.store(slots_.items, seam::memory_order_relaxed); }

  // --- any thread ---

  /// [D4] Makes the owner's next push or join slow. Relaxed: the owner reads nothing that the caller wrote.
  void request() noexcept {
    // Load first: else many thieves at one victim would fight for the cache line that each push reads.
    if (limit_.load(seam::memory_order_relaxed) != nullptr) limit_.store(nullptr, seam::memory_order_relaxed);
    hide_private();
  }
  /// [D5] As request(). An owner that is raising its limit at this moment looks afterwards.
  void request_look() noexcept {
    range_.fetch_add(0, seam::memory_order_acq_rel);
    request();
  }
  [[nodiscard]] bool requested() const noexcept { return limit_.load(seam::memory_order_relaxed) == nullptr; }

  /// Takes the oldest shared job. Acquire pairs with publish() [D1].
  [[nodiscard]] steal_result steal() noexcept {
    auto bits = range_.load(seam::memory_order_acquire);
    const shared_range range(bits);
    if (range.empty()) return {steal_outcome::empty, nullptr, false};
    job* const oldest = slots_.items[range.tail()].load(seam::memory_order_relaxed);  // [D3]
    const shared_range rest = range.without_oldest();
    if (!range_.compare_exchange_strong(bits, rest.bits(), seam::memory_order_acq_rel, seam::memory_order_relaxed))
      return {steal_outcome::contended, nullptr, false};
    return {steal_outcome::stolen, oldest, rest.empty(), range.tail()};
  }

  /// Racy, as a thief sees it: how many jobs others may take.
  [[nodiscard]] std::size_t approx_shared() const noexcept {
    const shared_range now(range_.load(seam::memory_order_relaxed));
    return now.empty() ? 0 : now.split() - now.tail();
  }
  /// Racy: a hint only, except for a worker that is about to park (parking.md, [P3]).
  [[nodiscard]] bool looks_empty() const noexcept {
    return shared_range(range_.load(seam::memory_order_relaxed)).empty();
  }

  /// [D6] a. Begins to take by force. The range, if the owner has private jobs and has left a request unanswered.
  [[nodiscard]] std::optional<shared_range> unanswered() const noexcept {
    // Acquire: whoever raised the epoch has shown the private part before.
    const shared_range seen(range_.load(seam::memory_order_acquire));
    if (private_from_.load(seam::memory_order_relaxed) != hidden() || head_index() <= seen.split()) return std::nullopt;
    return seen;
  }
  /// [D6] c. Call it after seam::heavy_fence(). True: all private jobs are shared. False: the owner has answered, or
  /// may_share() says so. That is asked when the jobs are known and no other thief can take them yet.
  template <class May>
  [[nodiscard]] bool open_by_force(shared_range seen, const May& may_share) noexcept {
    const std::uint32_t head = head_index();
    if (!may_share()) return false;
    auto bits = seen.bits();
    for (;;) {
      const shared_range now(bits);
      if (now.epoch() != seen.epoch() || head <= now.split()) return false;
      // Release: hands the slots on to the thieves that take from them [D1].
      if (range_.compare_exchange_weak(bits, now.forced_to(head).bits(), seam::memory_order_acq_rel,
                                       seam::memory_order_relaxed))
        return true;
    }
  }
  /// What the owner's pushes release, for thread sanitizers.
  [[nodiscard]] const void* pushed_address() const noexcept { return &head_; }

 private:
  static_assert(Capacity < shared_range::most);

  /// A position above all slots: with it no job is seen as private.
  [[nodiscard]] const slot* hidden() const noexcept { return slots_.items + Capacity + 1; }
  void hide_private() noexcept {
    if (private_from_.load(seam::memory_order_relaxed) != hidden())
      private_from_.store(hidden(), seam::memory_order_relaxed);
  }
  void show_private_from(std::uint32_t index) noexcept {
    private_from_.store(slots_.items + index, seam::memory_order_relaxed);
  }
  /// Acquire: the slots below, and the jobs in them, are seen [D6].
  [[nodiscard]] std::uint32_t head_index() const noexcept {
    return static_cast<std::uint32_t>(owner_index(head_.load(seam::memory_order_acquire)));
  }

  /// `split`: where the private part begins afterwards.
  template <class Split>
  [[nodiscard]] bool take_back(slot* position, Split split_after) noexcept {
    const auto index = static_cast<std::uint32_t>(owner_index(position));
    auto bits = range_.load(seam::memory_order_relaxed);
    for (;;) {
      const shared_range now(bits);
      if (now.tail() > index) {
        hide_private();  // [D8]
        return false;
      }
      const std::uint32_t split = split_after(now, index);
      show_private_from(split);  // before the epoch [D6]
      // Release is [D1] for the slots that were private, and keeps the release sequence of publish() for those that
      // stay shared; relaxed on failure: the loop only needs a newer value.
      if (range_.compare_exchange_weak(bits, now.shown_from(split).bits(), seam::memory_order_acq_rel,
                                       seam::memory_order_relaxed))
        return true;
    }
  }

  /// Release: [D1], and the raised limit for request_look() [D5]. Acquire: what was said before request_look() [D5].
  template <class HowMany>
  void share(HowMany how_many) noexcept {
    const auto head = static_cast<std::uint32_t>(owner_index(owner_head()));
    auto bits = range_.load(seam::memory_order_relaxed);
    for (;;) {
      const shared_range now(bits);
      const std::uint32_t split = now.split() + how_many(head - now.split());
      show_private_from(split);  // before the epoch [D6]
      if (range_.compare_exchange_weak(bits, now.shown_from(split).bits(), seam::memory_order_acq_rel,
                                       seam::memory_order_relaxed))
        return;
    }
  }

  // The owner's cache line. Other threads write only limit_ and private_from_, and rarely.
  seam::atomic<slot*> head_;
  seam::atomic<slot*> limit_;
  seam::atomic<const slot*> private_from_;  // the slot of split, or hidden()
  // The thieves' cache line.
  alignas(cache_line_bytes) seam::atomic<std::uint64_t> range_;
  // On cache lines of their own, so that CASes of thieves do not slow the pushes. One slot more than the capacity:
  // owner_offer() writes to a slot before it looks at the limit, also if the deque is full.
  alignas(cache_line_bytes) seam::unwritten<slot, Capacity + 1> slots_;
};

}  // namespace nearfork::detail

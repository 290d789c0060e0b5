// A pool that workers empty in portions: a worker that takes an item takes some of the next ones with it, which lie
// apart from where others push. While they are short it comes back for them without a search.
//
// [U1] A portion that is filled is counted under the lock of the queue that its items come from, and it leaves half of
//      them there. Who looks reads the queue's size first, and acquires: if the queue is empty by then, the portions
//      filled before are in the count. So no item is out of sight on its way to a portion; parking.md, [P3], relies on
//      it. Mutants: portion_uncounted, looks_relaxed, shrinks_relaxed.
// [U2] Under the portion's lock its size is read anew. Mutant: portion_read_once.
// [U3] Who is no taker and hands items on takes the portion's lock, too. Mutant: handed_on_unlocked.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include <nearfork/detail/seam.hpp>

#include "runtime/protocols/told_lock.hpp"

namespace nearfork {

/// Items come out in the order of their pushes, but for those that wait in portions. Thread-safe. By short locks: a
/// std::mutex sent workers to sleep where an outside thread spawned many tasks (343 ns a task, 270 with a short lock).
template <class Item>
class portioned_pool {
 public:
  /// `takers`: who takes items, each with a number below that.
  explicit portioned_pool(std::uint32_t takers) : takers_(takers), portions_(new portion[takers]) {}

  /// Throws std::bad_alloc.
  void push(Item item) {
    const std::lock_guard now(lock_);
    items_.push_back(item);
    set_size();
  }

  /// From the taker's own portion, else from the queue, else from the portions of others.
  [[nodiscard]] std::optional<Item> try_pop(std::uint32_t taker) {
    if (auto own = try_pop_own(taker)) return own;
    if (auto oldest = pop_from_queue(portions_[taker])) return oldest;
    for (std::uint32_t i = 1; i < takers_ && has_portions(); ++i)
      if (auto other = pop_from(portions_[(taker + i) % takers_])) return other;
    return std::nullopt;
  }
  /// From the taker's own portion.
  [[nodiscard]] std::optional<Item> try_pop_own(std::uint32_t taker) { return pop_from(portions_[taker]); }

  /// Takes all items for which `may` is true and gives each to `give`, by somebody who is no taker. Where `give`
  /// throws, its item and the rest stay.
  template <class May, class Give>
  void hand_on(const May& may, const Give& give) {
    for (std::uint32_t i = 0; i < takers_ && has_portions(); ++i) hand_on_portion(portions_[i], may, give);
    if (queue_looks_empty()) return;
    const std::lock_guard now(lock_);
    for (auto item = items_.begin(); item != items_.end();) {
      if (!may(*item)) {
        ++item;
        continue;
      }
      give(*item);
      item = items_.erase(item);
      set_size();
    }
  }

  /// Takes one item for which `is_it` is true, by somebody who is no taker. False: it was taken before.
  template <class IsIt>
  [[nodiscard]] bool take_out(const IsIt& is_it) {
    for (std::uint32_t i = 0; i < takers_ && has_portions(); ++i)
      if (take_out_of(portions_[i], is_it)) return true;
    if (queue_looks_empty()) return false;
    const std::lock_guard now(lock_);
    const auto found = std::ranges::find_if(items_, is_it);
    if (found == items_.end()) return false;
    items_.erase(found);
    set_size();
    return true;
  }

  /// Racy, but exact for a worker about to park: parking.md, [P3].
  [[nodiscard]] bool looks_empty() const noexcept { return queue_looks_empty() && !has_portions(); }  // [U1]

 private:
  /// Few enough for the last of them to wait 31 short tasks, many enough to spare most searches.
  static constexpr std::size_t most = 31;

  struct alignas(detail::cache_line_bytes) portion {
    told_lock lock;
    std::uint32_t next = 0;
    detail::seam::atomic<std::uint32_t> left{0};
    std::array<Item, most> items{};
  };

  [[nodiscard]] bool queue_looks_empty() const noexcept {
    return size_.load(detail::seam::memory_order_acquire) == 0;  // [U1]
  }
  [[nodiscard]] bool has_portions() const noexcept { return filled_.load(detail::seam::memory_order_relaxed) != 0; }
  void set_size() noexcept { size_.store(items_.size(), detail::seam::memory_order_release); }  // [U1]

  std::optional<Item> pop_from_queue(portion& own) {
    if (queue_looks_empty()) return std::nullopt;
    const std::lock_guard now(lock_);
    if (items_.empty()) return std::nullopt;
    const Item oldest = items_.front();
    items_.pop_front();
    // Half at most: others that look now find the rest where they look first.
    if (const std::size_t more = std::min(items_.size() / 2, most); more != 0) fill(own, more);
    set_size();
    return oldest;
  }
  /// Only its taker fills a portion, and only when it has seen it empty.
  void fill(portion& own, std::size_t count) {
    const std::lock_guard now(own.lock);
    own.next = 0;
    for (std::size_t i = 0; i < count; ++i) {
      own.items[i] = items_.front();
      items_.pop_front();
    }
    own.left.store(static_cast<std::uint32_t>(count), detail::seam::memory_order_relaxed);
    filled_.fetch_add(1, detail::seam::memory_order_relaxed);
  }
  std::optional<Item> pop_from(portion& one) {
    if (one.left.load(detail::seam::memory_order_relaxed) == 0) return std::nullopt;
    const std::lock_guard now(one.lock);
    const std::uint32_t left = one.left.load(detail::seam::memory_order_relaxed);  // [U2]
    if (left == 0) return std::nullopt;
    return take_first(one, left);
  }

  /// Under the portion's lock. `left`: the items that it has.
  Item take_first(portion& one, std::uint32_t left) noexcept {
    one.left.store(left - 1, detail::seam::memory_order_relaxed);
    if (left == 1) filled_.fetch_sub(1, detail::seam::memory_order_relaxed);
    return one.items[one.next++];
  }
  /// In order, until one may not go.
  template <class May, class Give>
  void hand_on_portion(portion& one, const May& may, const Give& give) {
    const std::lock_guard now(one.lock);  // [U3]
    for (;;) {
      const std::uint32_t left = one.left.load(detail::seam::memory_order_relaxed);
      if (left == 0 || !may(one.items[one.next])) return;
      give(one.items[one.next]);
      (void)take_first(one, left);
    }
  }

  template <class IsIt>
  [[nodiscard]] bool take_out_of(portion& one, const IsIt& is_it) {
    const std::lock_guard now(one.lock);  // [U3]
    const std::uint32_t left = one.left.load(detail::seam::memory_order_relaxed);
    const auto first = one.items.begin() + one.next;
    const auto found = std::find_if(first, first + left, is_it);
    if (found == first + left) return false;
    std::move_backward(first, found, found + 1);
    (void)take_first(one, left);
    return true;
  }

  const std::uint32_t takers_;
  const std::unique_ptr<portion[]> portions_;
  alignas(detail::cache_line_bytes) told_lock lock_;
  std::deque<Item> items_;
  detail::seam::atomic<std::size_t> size_{0};
  alignas(detail::cache_line_bytes) detail::seam::atomic<std::uint32_t> filled_{0};  // portions that have items
};

}  // namespace nearfork

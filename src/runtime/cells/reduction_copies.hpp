// The copies of a reduction or an accumulation, which its tasks take in turn.
//
// A task of a reduction folds its copy and leaves it to be filled again: a hundred tasks that add to 8 MB take 39 ms,
// and took 62 when the system gave each its memory anew. Tasks of an accumulation add to what they find: 16 ms. One
// after the other they take 28.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include <nearfork/detail/dataflow/dataflow_argument.hpp>
#include <nearfork/detail/short_lock.hpp>

namespace nearfork::detail {

/// Small copies have a cache line each: workers write them side by side.
[[nodiscard]] inline std::size_t alignment_of_copies(const reduction_rule& rule) noexcept {
  constexpr std::size_t cache_line = 64;
  return std::max(cache_line, rule.alignment);
}

/// In a list of copies.
struct shared_copy {
  shared_copy* next;
  std::byte* data;
  std::uint32_t last_worker;  // that added to it: its lines are there
  bool is_filled;
};

/// Of tasks that add to the same elements by the same operator. Those of accumulations join, and leave when they have
/// ended. Whoever leaves last folds: so all is in the elements before a task begins that depends on these. There are as
/// many copies as tasks that ran at once.
class shared_copies {
 public:
  shared_copies(const reduction_copy& like, std::size_t bytes) noexcept
      : original_(like.original), bytes_(bytes), rule_(*like.rule) {}
  ~shared_copies() {
    while (free_ != nullptr) destroy(*std::exchange(free_, free_->next));
  }
  shared_copies(const shared_copies&) = delete;
  shared_copies& operator=(const shared_copies&) = delete;

  [[nodiscard]] bool are_of(const std::byte* original, std::size_t bytes) const noexcept {
    return original == original_ && bytes == bytes_;
  }

  // --- under the graph's lock ---
  void join() noexcept { ++tasks_; }
  /// `taken`: what the task has taken; nullptr: it did not run. Returns the copies that it folds; nullptr: none.
  [[nodiscard]] shared_copy* leave(shared_copy* taken) noexcept {
    const std::lock_guard now(lock_);
    if (taken != nullptr) taken->next = std::exchange(free_, taken);
    return --tasks_ == 0 ? std::exchange(free_, nullptr) : nullptr;
  }

  // --- by the worker that runs the task ---
  /// The one that this worker had last, if it is free. `any`: also one to which others have added. Throws
  /// std::bad_alloc.
  [[nodiscard]] shared_copy& take(std::uint32_t worker, bool any) {
    shared_copy* const free = take_free(worker, any);
    shared_copy& taken = free != nullptr ? *free : make();
    taken.next = nullptr;
    taken.last_worker = worker;
    if (!std::exchange(taken.is_filled, true)) rule_.fill(taken.data, bytes_);
    return taken;
  }
  /// Folds what leave() returned, and has the copies for tasks that come later. Throws what the operator throws: then
  /// what is left is dropped.
  void fold(shared_copy* first) {
    const struct given_back {
      shared_copies& of;
      shared_copy* first;
      ~given_back() { of.give_back(first); }
    } at_end{*this, first};
    for (shared_copy* each = first; each != nullptr; each = each->next)
      if (each->is_filled) rule_.fold(original_, each->data, bytes_);
  }
  /// Without folding.
  void give_back(shared_copy* first) noexcept {
    const std::lock_guard now(lock_);
    while (first != nullptr) {
      shared_copy& one = *std::exchange(first, first->next);
      one.is_filled = false;
      one.next = std::exchange(free_, &one);
    }
  }

 private:
  [[nodiscard]] std::align_val_t alignment() const noexcept { return std::align_val_t{alignment_of_copies(rule_)}; }
  [[nodiscard]] shared_copy& make() {
    auto made = std::make_unique<shared_copy>();
    made->data = static_cast<std::byte*>(::operator new(bytes_, alignment()));
    return *made.release();
  }
  void destroy(shared_copy& one) noexcept {
    ::operator delete(one.data, alignment());
    delete &one;
  }
  [[nodiscard]] shared_copy* take_free(std::uint32_t worker, bool any) noexcept {
    const std::lock_guard now(lock_);
    shared_copy** found = nullptr;
    for (shared_copy** each = &free_; *each != nullptr; each = &(*each)->next) {
      if (!any && (*each)->is_filled) continue;
      const bool is_near = (*each)->last_worker == worker;
      if (found == nullptr || is_near) found = each;
      if (is_near) break;
    }
    return found == nullptr ? nullptr : std::exchange(*found, (*found)->next);
  }
  std::byte* const original_;
  const std::size_t bytes_;
  const reduction_rule& rule_;
  std::size_t tasks_ = 0;
  short_lock lock_;
  shared_copy* free_ = nullptr;  // guarded by lock_
};

}  // namespace nearfork::detail

// The chain of cancel scopes that are open on one fiber. A thief reads it while the owner goes on.
//
// A thief needs the innermost scope around the job that it stole. It cannot ask the owner, and a fork shall not store
// the scope. So the chain is linked from the outermost scope inward, and each scope says from which slot of the deque
// on jobs belong to the next scope.
//
// [C1] The scopes around a job's frame stay open until the job is done. A thief may read these.
// [C2] A scope that the owner opens or closes before the job is done lies above the job's slot: the slot that leads to
//      the scope is above the job's slot. So the thief stops before that scope and reads no destroyed scope.
//      Mutant: scope_walk_too_far.
// [C3] The owner links a scope before it pushes the jobs inside the scope, and publishing the slot releases the link
//      [D1]. So relaxed stores suffice. The owner cuts the link before it destroys the scope.
//      Mutant: scope_stays_linked.
#pragma once

#include <cstdint>

#include <nearfork/detail/seam.hpp>

namespace nearfork::detail {

/// The address of a slot, so that slots of one deque can be compared. No index: a group would compute it each time.
using slot_address = std::uintptr_t;

[[nodiscard]] inline slot_address address_of(const void* position) noexcept {
  return reinterpret_cast<slot_address>(position);
}

class scope_link {
 public:
  static constexpr slot_address none = 0;  // so that a new link is all zero

  scope_link() noexcept = default;
  scope_link(const scope_link&) = delete;
  scope_link& operator=(const scope_link&) = delete;

  /// The owner: jobs in slot `from` and above belong to `inner` from now on [C3].
  void owner_open(scope_link& inner, slot_address from) noexcept {
    inner_.store(&inner, seam::memory_order_relaxed);
    inner_from_.store(from, seam::memory_order_relaxed);
  }
  /// The owner, before `inner` goes [C3].
  void owner_close_inner() noexcept { inner_from_.store(none, seam::memory_order_relaxed); }

  /// For the thief: the innermost scope around the job of a slot. Call it on the outermost scope.
  [[nodiscard]] scope_link* innermost_around(slot_address of_job) noexcept {
    scope_link* found = this;
    while (found->inner_from_.load(seam::memory_order_relaxed) - 1 < of_job)  // [C2]; none - 1 is above all slots
      found = found->inner_.load(seam::memory_order_relaxed);
    return found;
  }

 private:
  seam::atomic<scope_link*> inner_{nullptr};
  seam::atomic<slot_address> inner_from_{none};
};

}  // namespace nearfork::detail

// The chain of cancel scopes that are open on one fiber. A thief reads it while the owner goes on.
//
// A thief needs the innermost scope around the job that it stole. It cannot ask the owner, and a fork shall not store
// the scope. So the chain is linked from the outermost scope inward, and each scope says from which deque index on jobs
// belong to the next scope.
//
// [C1] The scopes around a job's frame stay open until the job is done. A thief may read these.
// [C2] A scope that the owner opens or closes before the job is done lies above the job's slot: the index that leads to
//      the scope is greater than the job's index. So the thief stops before that scope and reads no destroyed scope.
//      Mutant: scope_walk_too_far.
// [C3] The owner links a scope before it pushes the jobs inside the scope, and publishing the slot releases the link
//      [D1]. So relaxed stores suffice. The owner cuts the link before it destroys the scope.
//      Mutant: scope_stays_linked.
#pragma once

#include <cstdint>

#include <nearfork/detail/seam.hpp>

namespace nearfork::detail {

class scope_link {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;  // above all deque indices

  scope_link() noexcept = default;
  scope_link(const scope_link&) = delete;
  scope_link& operator=(const scope_link&) = delete;

  /// The owner: jobs at `index` and above belong to `inner` from now on [C3].
  void owner_open(scope_link& inner, std::uint32_t index) noexcept {
    inner_.store(&inner, seam::memory_order_relaxed);
    inner_from_.store(index, seam::memory_order_relaxed);
  }
  /// The owner, before `inner` goes [C3].
  void owner_close_inner() noexcept { inner_from_.store(none, seam::memory_order_relaxed); }

  /// For the thief: the innermost scope around the job of slot `index`. Call it on the outermost scope.
  [[nodiscard]] scope_link* innermost_around(std::uint32_t index) noexcept {
    scope_link* found = this;
    while (found->inner_from_.load(seam::memory_order_relaxed) <= index)  // [C2]
      found = found->inner_.load(seam::memory_order_relaxed);
    return found;
  }

 private:
  seam::atomic<scope_link*> inner_{nullptr};
  seam::atomic<std::uint32_t> inner_from_{none};
};

}  // namespace nearfork::detail

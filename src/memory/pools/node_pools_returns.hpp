// Batches of free blocks on their way back to the node that holds them. Returning is lock-free; all batches are taken
// at once. The argument is in node_pools.md. A Treiber stack (IBM RJ 5118, 1986) without its pop.
#pragma once

#include <cstdint>

#include <nearfork/detail/seam.hpp>

namespace nearfork {

/// The contents of a free block. Only the owner of the block may read and write both members.
struct pool_block {
  detail::seam::plain<pool_block*> next;        // in its chain of blocks
  detail::seam::plain<pool_block*> next_batch;  // in the first block of a batch: the next batch
};

class returned_batches {
 public:
  /// Any thread. Returns the approximate number of batches now.
  std::uint32_t push(pool_block* batch) noexcept {
    pool_block* top = top_.load(detail::seam::memory_order_relaxed);  // nothing is read through it
    do batch->next_batch = top;
    while (!top_.compare_exchange_weak(top, batch, detail::seam::memory_order_release,  // [B1], with take_all()
                                       detail::seam::memory_order_relaxed));
    // Relaxed: a hint. It misses the pushes in progress, and is right again after each take_all().
    return approx_batches_.fetch_add(1, detail::seam::memory_order_relaxed) + 1;
  }

  /// Any thread. The batches then belong to the caller. nullptr: there are none.
  [[nodiscard]] pool_block* take_all() noexcept {
    // Relaxed: saves the exchange if there is no batch. A caller that needs later batches looks again.
    if (top_.load(detail::seam::memory_order_relaxed) == nullptr) return nullptr;
    approx_batches_.store(0, detail::seam::memory_order_relaxed);
    // Takes all batches [B2], never one [B3]: with all pushes since the last take_all().
    return top_.exchange(nullptr, detail::seam::memory_order_acquire);
  }

 private:
  detail::seam::atomic<pool_block*> top_{nullptr};
  detail::seam::atomic<std::uint32_t> approx_batches_{0};
};

}  // namespace nearfork

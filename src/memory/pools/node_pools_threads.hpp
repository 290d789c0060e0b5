// What a thread keeps of each pool, and how it gives that back at its end.
#pragma once

#include <cstdint>

#include "memory/pools/node_pools_returns.hpp"

namespace nearfork {

class node_pools;

/// Free blocks of one node and class in one thread's hands: one batch that grows and shrinks, and a whole one. So a
/// thread that frees and allocates in turn around a batch's size does not go to the pool each time (Bonwick and Adams, "Magazines
/// and Vmem", 2001, section 3.1).
struct magazine {
  pool_block* active = nullptr;
  pool_block* full = nullptr;  // a batch, or none
  std::uint32_t active_blocks = 0;

  [[nodiscard]] pool_block* pop() noexcept {
    pool_block* const block = active;
    if (block == nullptr) return nullptr;
    active = block->next;
    --active_blocks;
    return block;
  }
  void push(pool_block* block) noexcept {
    block->next = active;
    active = block;
    ++active_blocks;
  }
};

/// This thread's magazines of the pools it used last, by place. Trivial, so that reading it costs one instruction
/// and it is there until the thread is gone.
struct present_magazines {
  std::uint64_t pools = 0;  // their number; 0: nobody's
  magazine* magazines = nullptr;
};
extern constinit thread_local present_magazines present __attribute__((tls_model("initial-exec")));

namespace pool_threads {

/// Makes this thread's magazines of `pools` the present ones. nullptr when it has no more use for any: it is at its end and
/// its magazines have gone back, or there is no memory for them.
[[nodiscard]] magazine* own_magazines(node_pools& pools) noexcept;

/// Threads that end and fork() see `pools` from now on; and no more.
void come_alive(node_pools& pools);
void pass_away(node_pools& pools) noexcept;

/// What fork() is surrounded by: no thread is inside any pool meanwhile.
void before_fork() noexcept;
void after_fork() noexcept;

}  // namespace pool_threads
}  // namespace nearfork

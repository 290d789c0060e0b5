// The blocks that a thread keeps of each pool, and how the thread returns them at its end.
#pragma once

#include <cstdint>

#include "memory/pools/node_pools_returns.hpp"

namespace nearfork {

class node_pools;

/// Free blocks of one node and class that one thread keeps: an active chain, which grows and shrinks up to a batch, and
/// a whole batch. So a thread that alternately frees and allocates around a batch's size does not go to the pool each
/// time (Bonwick and Adams, "Magazines and Vmem", 2001, section 3.1).
struct magazine {
  pool_block* active = nullptr;
  pool_block* full = nullptr;  // a whole batch, or nullptr
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

/// This thread's magazines of the pools that it used last, by place. The type is trivial, so that reading it costs one
/// instruction and it is valid until the thread has ended.
struct present_magazines {
  std::uint64_t pools = 0;  // the number of the pools; 0: none
  magazine* magazines = nullptr;
};
extern constinit thread_local present_magazines last_used __attribute__((tls_model("initial-exec")));

namespace pool_threads {

/// Makes this thread's magazines of `pools` the present ones. Returns nullptr if the thread is at its end and has
/// returned its magazines, or if there is no memory for them.
[[nodiscard]] magazine* own_magazines(node_pools& pools) noexcept;

/// From come_alive() on, the end of a thread and fork() handle `pools`; after the end of `pools`, no more.
void come_alive(node_pools& pools);
void pass_away(node_pools& pools) noexcept;

/// For fork(): from before_fork() to after it, no other thread is inside any pool.
void before_fork() noexcept;
void after_fork() noexcept;

}  // namespace pool_threads
}  // namespace nearfork

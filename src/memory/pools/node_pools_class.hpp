// The free blocks of one size class on one node, except those in magazines of threads.
//
// Batches come back without a lock (node_pools_returns.hpp). They go out again unchanged, under a lock that a thread
// takes once per batch. When the batches on a thread's shelf make up more than a span, they are sorted into their
// spans. Spans without a block in use then go back to the node's supply.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <nearfork/detail/seam.hpp>

#include "memory/pools/node_pools_lock.hpp"
#include "memory/pools/node_pools_returns.hpp"
#include "memory/pools/node_pools_span.hpp"
#include "memory/pools/node_pools_supply.hpp"

namespace nearfork {

struct block_chain {
  pool_block* first = nullptr;
  std::uint32_t blocks = 0;
};

class alignas(detail::cache_line_bytes) class_pool {
 public:
  void open(span_supply& supply, std::uint64_t pools, pool_place place) noexcept;

  /// Returns a batch, or a shorter one. No block: the node has no room.
  [[nodiscard]] block_chain take() noexcept;
  /// `first`: the first block of a chain of batch_blocks() blocks.
  void return_batch(pool_block* first) noexcept;
  /// Returns a chain of any length, which ends with nullptr.
  void return_chain(pool_block* first) noexcept;
  /// Sorts all batches that came back into their spans.
  void sort() noexcept;
  /// Gives all spans back to the supply, also those in use. For the end.
  void close() noexcept;

  [[nodiscard]] pool_lock& lock() noexcept { return lock_; }

 private:
  [[nodiscard]] block_chain take_from_spans() noexcept;
  bool add_span() noexcept;
  void put_back(pool_block* block) noexcept;
  void put_back_batches(pool_block* batch) noexcept;
  void sort_locked() noexcept;

  /// A batch comes back to its thread's shelf, and the thread takes from that shelf first. So a thread gets blocks that
  /// are still in its core's caches. And batches that one thread frees are not sorted because another thread frees as
  /// many. With one shelf for all, two threads that each allocate and free 10,000 blocks of 64 bytes took 57 ns a block
  /// in every other run, else 11.
  static constexpr std::size_t shelves = 4;
  [[nodiscard]] static std::size_t own_shelf() noexcept;
  [[nodiscard]] pool_block* ready_on(std::size_t shelf) noexcept;

  struct alignas(detail::cache_line_bytes) returns {
    returned_batches batches;
  };
  std::array<returns, shelves> returned_;

  alignas(detail::cache_line_bytes) pool_lock lock_;
  std::array<pool_block*, shelves> ready_{};  // batches that came back and are under the lock now
  span_list spans_;
  span_supply* supply_ = nullptr;
  std::uint64_t pools_ = 0;
  pool_place place_ = 0;
  std::uint32_t batch_ = 0;
  std::uint32_t most_unsorted_ = 0;  // batches per shelf
};

}  // namespace nearfork

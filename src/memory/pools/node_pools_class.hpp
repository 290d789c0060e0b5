// The blocks of one size class on one node that are in no thread's hands.
//
// Batches come back without a lock (node_pools_returns.hpp) and go out again as they are, under a lock that a thread takes once a batch.
// When more of them lie around on a thread's shelf than make up a span, they are sorted into their spans, and spans without a block in
// use go back to the node's supply.
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

  /// A batch, or what there was of it; no block: the node has no room.
  [[nodiscard]] block_chain take() noexcept;
  /// `first` begins a chain of batch_blocks() blocks.
  void return_batch(pool_block* first) noexcept;
  /// A chain of any length, ended by nullptr.
  void return_chain(pool_block* first) noexcept;
  /// Sorts all that came back.
  void sort() noexcept;
  /// Gives all spans to the supply, used or not: for the end.
  void close() noexcept;

  [[nodiscard]] pool_lock& lock() noexcept { return lock_; }

 private:
  [[nodiscard]] block_chain take_from_spans() noexcept;
  bool add_span() noexcept;
  void put_back(pool_block* block) noexcept;
  void put_back_batches(pool_block* batch) noexcept;
  void sort_locked() noexcept;

  /// Batches come back to their thread's shelf and are taken from there first: a thread gets the blocks again that its core has in
  /// its caches, and what one thread frees is not sorted because another one frees as much. With one shelf for all, two
  /// threads that each allocate and free 10,000 blocks of 64 bytes took 57 ns a block in every other run, else 11.
  static constexpr std::size_t shelves = 4;
  [[nodiscard]] static std::size_t own_shelf() noexcept;
  [[nodiscard]] pool_block* ready_on(std::size_t shelf) noexcept;

  struct alignas(detail::cache_line_bytes) returns {
    returned_batches batches;
  };
  std::array<returns, shelves> returned_;

  alignas(detail::cache_line_bytes) pool_lock lock_;
  std::array<pool_block*, shelves> ready_{};  // batches that came back and were taken over
  span_list spans_;
  span_supply* supply_ = nullptr;
  std::uint64_t pools_ = 0;
  pool_place place_ = 0;
  std::uint32_t batch_ = 0;
  std::uint32_t most_unsorted_ = 0;  // batches of a shelf
};

}  // namespace nearfork

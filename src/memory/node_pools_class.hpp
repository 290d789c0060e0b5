// The blocks of one size class on one node that are in no thread's hands.
//
// Batches come back without a lock (node_pools_returns.hpp) and go out again as they are, under a lock that a thread takes once a batch.
// When more of them lie around than make up a span, they are sorted into their spans, and spans without a block in
// use go back to the node's supply.
#pragma once

#include <cstdint>

#include <nearfork/detail/seam.hpp>

#include "memory/node_pools_lock.hpp"
#include "memory/node_pools_returns.hpp"
#include "memory/node_pools_span.hpp"
#include "memory/node_pools_supply.hpp"

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

  returned_batches returned_;

  alignas(detail::cache_line_bytes) pool_lock lock_;
  pool_block* ready_ = nullptr;  // batches that came back and were taken over
  span_list spans_;
  span_supply* supply_ = nullptr;
  std::uint64_t pools_ = 0;
  pool_place place_ = 0;
  std::uint32_t batch_ = 0;
  std::uint32_t most_unsorted_ = 0;  // batches
};

}  // namespace nearfork

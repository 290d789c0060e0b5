// The spans of one node: what its pools hold, a few unused ones in reserve, and what became of requests for more.
#pragma once

#include <array>
#include <cstdint>

#include "memory/pools/node_pools_lock.hpp"
#include "memory/system/span_source.hpp"

namespace nearfork {

/// What became of one node's share of the memory, for the run report.
struct node_pool_facts {
  node_id node{};
  std::uint64_t spans = 0;  // held now, reserve included; of span_bytes each
  std::uint64_t peak_spans = 0;
  std::uint64_t reserve = 0;           // of these, without a block in use
  std::uint64_t taken = 0;             // from the source, over time
  std::uint64_t given_back = 0;        // to the source
  std::uint64_t refused = 0;           // the source had no room on this node
  int refusal_errno = 0;               // of the last refusal
  std::uint64_t first_touch = 0;       // spans that the system would not bind
  int binding_errno = 0;               // of the last of them
  std::uint64_t blocks_elsewhere = 0;  // were asked for here and came from another node
  std::uint64_t elsewhere_at = 0;      // when it was so last, by memory_in_use::shortfalls
  std::uint64_t first_touch_at = 0;
};

/// Is less than was asked for an error now? Asked where a node is full or cannot be bound to, so seldom. Any thread.
using strict_now = bool (*)() noexcept;

class span_supply {
 public:
  void open(span_source& from, node_id node, strict_now strict) noexcept {
    source_ = &from;
    strict_ = strict;
    facts_.node = node;
  }
  /// nullptr: the node has no room.
  [[nodiscard]] void* take() noexcept;
  /// A span without a block in use.
  void put_back(void* start) noexcept;
  /// Empties the reserve; returns how many spans that were.
  std::uint64_t give_back_reserve() noexcept;
  void count_block_elsewhere() noexcept;
  [[nodiscard]] node_pool_facts facts() noexcept;

  [[nodiscard]] pool_lock& lock() noexcept { return lock_; }

 private:
  /// 32 MiB a node. With 8, a consumer that frees 16 MiB while its producer sleeps sent the producer to the system for
  /// new pages: 11 times the time of malloc.
  static constexpr std::size_t most_reserve = 32;
  /// Takes that a refusal stands for: asking costs five system calls, and a full node seldom empties meanwhile.
  static constexpr std::uint32_t takes_per_refusal = 256;

  void refuse(int cause) noexcept;
  void return_to_source(void* start) noexcept;

  pool_lock lock_;
  span_source* source_ = nullptr;
  strict_now strict_ = nullptr;
  std::array<void*, most_reserve> reserve_{};
  std::uint32_t refusal_stands_for_ = 0;
  node_pool_facts facts_;
};

}  // namespace nearfork

// The spans of one node: those in its pools, a few unused ones in reserve, and the counts of requests for more.
#pragma once

#include <array>
#include <cstdint>

#include "memory/pools/node_pools_lock.hpp"
#include "memory/system/span_source.hpp"

namespace nearfork {

/// The facts of one node's pools, for the run report.
struct node_pool_facts {
  node_id node{};
  std::uint64_t spans = 0;  // held now, with the reserve; of span_bytes each
  std::uint64_t peak_spans = 0;
  std::uint64_t reserve = 0;           // spans of these without a block in use
  std::uint64_t taken = 0;             // spans from the source, in total
  std::uint64_t given_back = 0;        // spans to the source, in total
  std::uint64_t refused = 0;           // requests: the source had no room on this node
  int refusal_errno = 0;               // of the last refusal
  std::uint64_t first_touch = 0;       // spans that the system would not bind
  int binding_errno = 0;               // of the last of them
  std::uint64_t blocks_elsewhere = 0;  // requested here, but from another node
  std::uint64_t elsewhere_at = 0;      // when that last happened, by memory_in_use::shortfalls
  std::uint64_t first_touch_at = 0;
};

/// True if a shortfall is an error now. Called only if a node is full or a span cannot be bound, so seldom. Any thread.
using strict_now = bool (*)() noexcept;

class span_supply {
 public:
  void open(span_source& from, node_id node, strict_now strict) noexcept {
    source_ = &from;
    strict_ = strict;
    facts_.node = node;
  }
  /// Returns nullptr if the node has no room.
  [[nodiscard]] void* take() noexcept;
  /// Takes a span without a block in use.
  void put_back(void* start) noexcept;
  /// Gives the reserve back to the source. Returns the number of its spans.
  std::uint64_t give_back_reserve() noexcept;
  void count_block_elsewhere() noexcept;
  [[nodiscard]] node_pool_facts facts() noexcept;

  [[nodiscard]] pool_lock& lock() noexcept { return lock_; }

 private:
  /// 32 MiB per node. With 8 MiB, a consumer that frees 16 MiB while its producer sleeps sent the producer to the
  /// system for new pages: 11 times the time of malloc.
  static constexpr std::size_t most_reserve = 32;
  /// How many takes one refusal answers. Asking the system costs five system calls, and a full node rarely becomes free
  /// in between.
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

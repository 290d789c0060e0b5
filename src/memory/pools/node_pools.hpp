// Small blocks on a chosen memory node: per-node pools of size classes 2^k, with magazines per thread.
//
// A free is remote if another thread does it than the one that allocated, or a thread on another node. In both cases
// the block goes into the freeing thread's magazine for the node that holds the block. From there its batch goes into
// that node's pool. node_pools.md describes what the pools do then.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <nearfork/detail/seam.hpp>

#include "base/ids.hpp"
#include "memory/pools/node_pools_class.hpp"
#include "memory/pools/node_pools_supply.hpp"
#include "memory/pools/node_pools_threads.hpp"
#include "memory/pools/size_class.hpp"
#include "memory/system/span_source.hpp"

namespace nearfork {

class machine;

/// For each node: the node itself, then the others, nearest first.
using nodes_by_distance = std::vector<std::vector<node_id>>;

/// By the machine's distances. If the machine has none, nodes of the same package come first.
[[nodiscard]] nodes_by_distance nearest_nodes(const machine& of);

/// Any thread may call all member functions, also threads that nearfork did not start, and destructors of thread-locals
/// and statics.
///
/// Unused memory goes back to the source span by span. These bounds hold for what does not go back. Per thread, node
/// and class: two batches (64 KiB, 128 KiB for the largest class, 256 blocks at most for small classes). Per node and
/// class: unsorted batches worth eight spans (two for each of four shelves). Per node: 32 unused spans. Also all spans
/// with a block in use.
///
/// A child made by fork() continues with its copy. It cannot use the blocks that other threads of the parent had in
/// their magazines; their size is bounded as above.
class node_pools {
 public:
  /// Throws: nearfork::error if there is no node.
  /// `strict`: if it returns true, a block that cannot lie on its node is an error. If it returns false or is null, the
  /// block lies on the next nearest node (counted in node_pool_facts::blocks_elsewhere) or where it is first touched.
  node_pools(std::unique_ptr<span_source> source, nodes_by_distance nearest, strict_now strict = nullptr);
  /// Gives all spans back, also those with blocks in use. No thread may be inside; threads that used the pools may
  /// still run.
  ~node_pools();
  node_pools(const node_pools&) = delete;
  node_pools& operator=(const node_pools&) = delete;

  /// True if allocate() serves such a block. The caller maps larger ones itself.
  [[nodiscard]] static constexpr bool serves(std::size_t bytes, std::size_t alignment) noexcept {
    return std::max(bytes, alignment) <= largest_block_bytes && is_power_of_two(alignment);
  }

  /// A block of `bytes` (0 counts as 1) on `node`, aligned to `alignment` and to the size of its class: the next power
  /// of two from 16. Its contents are unspecified. O(1); one call per 32 KiB takes a lock, one per 1 MiB asks the
  /// system.
  /// Throws: std::bad_alloc if no node has memory; nearfork::error if it does not serve such a block, if there is no
  /// such node, and, if strict, if the node is full or the system does not bind to it.
  [[nodiscard]] void* allocate(node_id node, std::size_t bytes, std::size_t alignment);

  /// Returns a block of these pools to the node that holds it. Any thread may call it. `bytes`: as allocated. nullptr:
  /// nothing happens. Stops the program if the block is of other pools. O(1), except one call per span's worth of
  /// blocks, which sorts what came back.
  void deallocate(void* block, std::size_t bytes) noexcept;

  /// The node of a block that any node_pools gave out. It is not the requested node if that was full. O(1).
  [[nodiscard]] static node_id node_of(const void* block) noexcept {
    return node_of_place(pool_span::of(block).place());
  }

  /// Empties the calling thread's magazines, sorts what came back, and gives unused spans back, the reserve included.
  /// O(free blocks).
  void give_back() noexcept;

  /// By node. The facts of one node are consistent, those of several nodes need not be.
  [[nodiscard]] std::vector<node_pool_facts> facts() const;

  // For node_pools_threads.cpp.

  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  [[nodiscard]] node_pools* next_live() const noexcept { return next_live_; }
  void set_next_live(node_pools* next) noexcept { next_live_ = next; }
  /// Throws: std::bad_alloc.
  [[nodiscard]] magazine* lend_magazines();
  void retire(magazine* magazines) noexcept;
  void lock_all() noexcept;
  void unlock_all() noexcept;

 private:
  struct node_pool {
    span_supply supply;
    std::array<class_pool, size_classes> classes;
  };

  [[nodiscard]] std::size_t places() const noexcept { return nearest_.size() * places_per_node; }
  [[nodiscard]] class_pool& pool_at(pool_place place) noexcept {
    return nodes_[place / places_per_node].classes[place % places_per_node];
  }
  [[nodiscard]] void* allocate_slow(node_id node, std::size_t bytes, std::size_t alignment);
  [[nodiscard]] pool_block* take_from(pool_place place, magazine* own) noexcept;
  void deallocate_slow(pool_span& span, pool_block* block) noexcept;
  void hand_over(magazine& from, pool_place place) noexcept;
  void empty(magazine* magazines) noexcept;
  void check(node_id node, std::size_t bytes, std::size_t alignment) const;
  [[nodiscard]] bool is_strict() const noexcept { return strict_ != nullptr && strict_(); }
  template <class F>
  void each_lock(F f) noexcept;

  const std::uint64_t number_;
  const std::uint32_t node_count_;
  const strict_now strict_;
  const nodes_by_distance nearest_;
  std::unique_ptr<span_source> source_;
  std::unique_ptr<node_pool[]> nodes_;

  pool_lock lending_;  // guards what follows
  std::vector<std::unique_ptr<magazine[]>> magazines_;
  std::vector<magazine*> idle_magazines_;  // of threads that ended; has room for all

  node_pools* next_live_ = nullptr;  // under the lock of node_pools_threads.cpp
};

/// The pools of this process on the live machine, made at the first call; never destroyed, so that statics may use
/// them. Throws nearfork::error if the machine cannot be read.
[[nodiscard]] node_pools& process_node_pools();

}  // namespace nearfork

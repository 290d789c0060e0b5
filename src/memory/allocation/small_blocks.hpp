// Where allocations come from that are too small for pages of their own: the pools of a node, or the heap in between.
#pragma once

#include <cstddef>
#include <vector>

#include <nearfork/memory_options.hpp>

#include "machine/model/machine.hpp"
#include "memory/pools/node_pools.hpp"

namespace nearfork {

/// From these pools; larger ones are the heap's.
[[nodiscard]] constexpr bool is_pooled(std::size_t bytes) noexcept {
  return bytes <= largest_block_bytes;
}

/// On the node that the options bind or prefer, or else on the calling thread's. A node that is not there is a shortfall of
/// the process's memory, so in strict mode an error. `alignment`: a power of two,
/// for pooled sizes at most largest_block_bytes. nullptr: there is no memory. Throws nearfork::error if this machine cannot be read.
[[nodiscard]] void* allocate_small(std::size_t bytes, std::size_t alignment, const memory_options& options);
/// What allocate_small() gave, by any thread.
void free_small(void* begin, std::size_t bytes) noexcept;

/// Which node of a machine its threads take small blocks from.
class nodes_for_threads {
 public:
  explicit nodes_for_threads(const machine& where);

  /// The node for `options` and a thread that runs on `pu`. O(1), but O(nodes) where the options name one.
  [[nodiscard]] node_id for_thread_at(os_index pu, const memory_options& options) const noexcept;
  /// The options name a node that this machine does not have. O(nodes).
  [[nodiscard]] bool lacks_node_of(const memory_options& options) const noexcept;
  [[nodiscard]] bool only_one() const noexcept { return os_nodes_.size() < 2; }

 private:
  std::vector<os_index> os_nodes_;
  std::vector<node_id> of_pu_;  // by the system's number of a PU
};

}  // namespace nearfork

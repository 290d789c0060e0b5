// Memory for allocations that are too small for pages of their own: from the pools of a node, or, in between, from the
// heap.
#pragma once

#include <cstddef>
#include <vector>

#include <nearfork/memory_options.hpp>

#include "machine/model/machine.hpp"
#include "memory/pools/node_pools.hpp"

namespace nearfork {

/// True if these pools serve `bytes`. The heap serves larger sizes.
[[nodiscard]] constexpr bool is_pooled(std::size_t bytes) noexcept {
  return bytes <= largest_block_bytes;
}

/// Memory on the node that the options bind or prefer, else on the calling thread's node. A node that does not exist is
/// a shortfall of the process's memory, so an error in strict mode. `alignment`: a power of two, at most
/// largest_block_bytes for pooled sizes.
/// Returns nullptr if there is no memory. Throws: nearfork::error if this machine cannot be read.
[[nodiscard]] void* allocate_small(std::size_t bytes, std::size_t alignment, const memory_options& options);
/// Frees what allocate_small() returned, in any thread.
void free_small(void* begin, std::size_t bytes) noexcept;

/// The node from which each thread of a machine takes small blocks.
class nodes_for_threads {
 public:
  explicit nodes_for_threads(const machine& where);

  /// The node for `options` and a thread that runs on `pu`. O(1); O(nodes) if the options name a node.
  [[nodiscard]] node_id for_thread_at(os_index pu, const memory_options& options) const noexcept;
  /// True if the options name a node that this machine does not have. O(nodes).
  [[nodiscard]] bool lacks_node_of(const memory_options& options) const noexcept;
  [[nodiscard]] bool only_one() const noexcept { return os_nodes_.size() < 2; }

 private:
  std::vector<os_index> os_nodes_;
  std::vector<node_id> of_pu_;  // by the system's number of a PU
};

}  // namespace nearfork

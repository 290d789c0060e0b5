// Memory for the buffers of dataflow graphs: per-node pools with classes of 2^k bytes, from a page to 8 MiB (Drebes et
// al., PACT 2016, section 4.1; OpenStream's pools end at 8 MiB, too).
//
// A block comes from a chunk on one node, and returns to its chunk, so to its node, whoever frees it. Which chunk that
// is stands in the record of the buffer that holds the block, and not in front of the block: so a block of 2^k bytes
// fits the class 2^k, keeps its alignment, and freeing it touches none of its pages. Smaller buffers share pages with
// other data, so they have no node of their own: they are the heap's.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <nearfork/detail/seam.hpp>

#include "base/ids.hpp"
#include "memory/pools/node_pools.hpp"
#include "memory/pools/node_pools_lock.hpp"
#include "memory/system/chunk_source.hpp"
#include "memory/system/region_memory.hpp"

namespace nearfork {

inline constexpr std::size_t smallest_buffer_bytes = std::size_t{4} << 10;
inline constexpr std::size_t largest_pooled_bytes = std::size_t{8} << 20;
inline constexpr unsigned buffer_classes =
    std::bit_width(largest_pooled_bytes) - std::bit_width(smallest_buffer_bytes) + 1;

/// Class j holds blocks of smallest_buffer_bytes << j; nullopt: the pools keep no such blocks.
[[nodiscard]] constexpr std::optional<unsigned> buffer_class_for(std::size_t bytes) noexcept {
  if (bytes == 0 || bytes > largest_pooled_bytes) return std::nullopt;
  const std::size_t wanted = std::max(bytes, smallest_buffer_bytes);
  return static_cast<unsigned>(std::bit_width(wanted - 1) - std::bit_width(smallest_buffer_bytes - 1));
}

/// A block and where it returns to.
struct pooled_block {
  std::byte* data = nullptr;
  void* chunk = nullptr;
  node_id node{};  // the node that holds it; of a chunk that could not be bound, the node that was asked for
};

/// The facts of one node's pools.
struct buffer_pool_facts {
  node_id node{};
  std::uint64_t bytes = 0;         // of chunks now, with the reserve
  std::uint64_t taken = 0;         // chunks from the system, in total
  std::uint64_t given_back = 0;    // chunks to the system, in total
  std::uint64_t refused = 0;       // requests: no room on this node
  int refusal_errno = 0;           // of the last refusal
  std::uint64_t first_touch = 0;   // chunks that the system would not bind
  int binding_errno = 0;           // of the last of them
  std::uint64_t elsewhere = 0;     // blocks that were asked for here, but lie on another node
  std::uint64_t elsewhere_at = 0;  // when that last happened, by memory_in_use::shortfalls
  std::uint64_t first_touch_at = 0;
};

/// Thread-safety: any thread may call all member functions.
class buffer_pools {
 public:
  /// Throws: nearfork::error if there is no node. `strict`: as with node_pools.
  buffer_pools(std::unique_ptr<chunk_source> source, nodes_by_distance nearest, strict_now strict = nullptr);
  /// No block may be in use.
  ~buffer_pools();
  buffer_pools(const buffer_pools&) = delete;
  buffer_pools& operator=(const buffer_pools&) = delete;

  /// Smaller blocks, and those with a larger alignment, are the heap's.
  [[nodiscard]] static constexpr bool serves(std::size_t bytes, std::size_t alignment) noexcept {
    return bytes >= smallest_buffer_bytes && alignment <= smallest_buffer_bytes;
  }
  /// A block on `node`, or on the next nearest node with room. Blocks of more than largest_pooled_bytes are chunks of
  /// their own. O(nodes); a lock for each block.
  /// Throws: std::bad_alloc if no node has memory; nearfork::error, if strict, if the node is full or cannot be bound.
  [[nodiscard]] pooled_block take(node_id node, std::size_t bytes);
  void give_back(const pooled_block& block) noexcept;

  /// The node of any page of this process, as the system tells.
  [[nodiscard]] page_place place_of(const void* address) noexcept { return source_->place_of(address); }

  /// Blocks that are in use, and the most so far.
  [[nodiscard]] std::uint64_t blocks() const noexcept { return blocks_.load(seam::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t most_blocks() const noexcept { return most_blocks_.load(seam::memory_order_relaxed); }
  [[nodiscard]] std::vector<buffer_pool_facts> facts() const;
  /// The facts that a run report names. `where` has the system's numbers of the nodes.
  [[nodiscard]] std::vector<memory_shortfall> shortfalls(const machine& where) const;

  // Around fork(), so that in the child no other thread holds a lock.
  void before_fork() noexcept;
  void after_fork() noexcept;

 private:
  struct chunk;
  struct node_pool {
    ~node_pool();
    mutable pool_lock lock;
    std::vector<std::vector<chunk*>> with_room;  // by class
    std::vector<std::unique_ptr<chunk>> reserve;
    std::size_t reserve_bytes = 0;
    buffer_pool_facts facts;
  };

  [[nodiscard]] std::optional<pooled_block> take_from(node_pool& pool, std::size_t bytes);
  [[nodiscard]] std::unique_ptr<chunk> chunk_for(node_pool& pool, std::size_t bytes);
  static void make_room_in(std::vector<chunk*>& list, std::size_t chunks);
  [[nodiscard]] bool is_strict() const noexcept { return strict_ != nullptr && strict_(); }
  [[noreturn]] void throw_refused(node_pool& pool, std::size_t bytes) const;
  void put_aside(node_pool& pool, std::unique_ptr<chunk> unused) noexcept;
  void count_block() noexcept;

  const strict_now strict_;
  const nodes_by_distance nearest_;
  const std::unique_ptr<chunk_source> source_;
  const std::unique_ptr<node_pool[]> nodes_;
  seam::atomic<std::uint64_t> blocks_{0};
  seam::atomic<std::uint64_t> most_blocks_{0};
};

/// The pools of this process on the live machine, made by the first call; never destroyed, because handles of buffers
/// may outlive everything else. Throws nearfork::error if the machine cannot be read.
[[nodiscard]] buffer_pools& process_buffer_pools();

}  // namespace nearfork

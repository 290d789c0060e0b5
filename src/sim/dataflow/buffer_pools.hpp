// Memory of buffers: one pool per node with free lists of blocks of 2^k bytes (Drebes et al., PACT 2016, section 3.1).
//
// A pool that has no block of the size takes fresh memory, which lies nowhere until it is first written: so a block of
// a pool lies on the pool's node or nowhere. Freed, a block goes to the pool of the node where it lies. A block is at
// least a page, so that no page holds parts of two blocks. The paper's chunks are not modelled: fresh memory is taken
// block by block, which gives blocks the same nodes.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace nearfork::sim {

class buffer_pools {
 public:
  struct sizes {
    std::uint64_t first_byte = 0;  // of the memory that pools divide
    std::uint64_t end_byte = 0;
    std::uint64_t least_bytes = 4096;  // of a block; a power of two
  };
  /// By node: all nodes, nearest first; empty: in the order of their numbers.
  using nearness = std::vector<std::vector<std::uint16_t>>;

  buffer_pools(sizes of, std::uint32_t nodes, nearness nearest);

  /// The first byte of a block for `bytes`. If neither the node's pool nor fresh memory has one, a block of the nearest
  /// pool that has. Throws: nearfork::error if there is none.
  [[nodiscard]] std::uint64_t take(std::uint32_t node, std::uint64_t bytes);
  /// `node`: where the block lies.
  void give_back(std::uint64_t first_byte, std::uint64_t bytes, std::uint32_t node);

  /// Bytes of all blocks that were ever given out; that are out now; that were out at most.
  [[nodiscard]] std::uint64_t fresh_bytes() const noexcept { return next_ - sizes_.first_byte; }
  [[nodiscard]] std::uint64_t live_bytes() const noexcept { return live_; }
  [[nodiscard]] std::uint64_t most_live_bytes() const noexcept { return most_live_; }
  /// Blocks from another node's pool, because there was no fresh memory.
  [[nodiscard]] std::uint64_t fell_back() const noexcept { return fell_back_; }
  [[nodiscard]] std::uint64_t block_bytes(std::uint64_t bytes) const noexcept;

 private:
  using free_list = std::vector<std::uint64_t>;
  [[nodiscard]] std::uint64_t take_elsewhere(std::uint32_t node, std::uint64_t block);

  sizes sizes_;
  std::uint64_t next_;
  std::vector<std::map<std::uint64_t, free_list>> free_;  // by node, then by bytes of a block
  nearness nearest_;
  std::uint64_t live_ = 0;
  std::uint64_t most_live_ = 0;
  std::uint64_t fell_back_ = 0;
};

}  // namespace nearfork::sim

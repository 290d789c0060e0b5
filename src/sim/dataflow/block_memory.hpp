// Where the blocks of a dataflow program lie: global blocks one after the other with their pages interleaved, then the
// memory that pools divide among buffers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/dataflow/buffer_pools.hpp"
#include "sim/dataflow/dataflow_program.hpp"
#include "sim/dataflow/dataflow_run.hpp"
#include "sim/dataflow/page_balancing.hpp"
#include "sim/memory/memory_hierarchy.hpp"

namespace nearfork::sim {

/// Addresses alone, before there is a memory.
struct block_layout {
  std::vector<std::uint64_t> first_byte;  // by block; of buffers: nowhere
  std::uint64_t global_bytes = 0;
  std::uint64_t pool_bytes = 0;
  static constexpr std::uint64_t nowhere = ~std::uint64_t{0};
  [[nodiscard]] std::uint64_t all_bytes() const noexcept { return global_bytes + pool_bytes; }
};
[[nodiscard]] block_layout layout_of(const dataflow_program& what, std::uint64_t page_bytes, std::uint64_t pool_bytes);

class block_memory {
 public:
  block_memory(const dataflow_program& what, const machine& where, const machine_model& model, block_layout layout,
               own_arrays arrays = own_arrays::interleaved);

  /// Where global blocks lie before the run, and by which rule their other pages get nodes. `first_worker`: the node
  /// beside the worker that writes what a serial setup writes. Throws: nearfork::error if the rule does not fit.
  void place_global(const own_pages& how, const machine& where, const machine_model& model, std::uint32_t first_worker);

  /// The buffer gets a block of the node's pool, unless it has one.
  void allocate(std::uint32_t block, std::uint32_t node);
  /// One reader of the buffer is done; the last one gives the block back.
  void done_reading(std::uint32_t block);
  /// The writer is done; a buffer that nobody reads is given back.
  void done_writing(std::uint32_t block);

  [[nodiscard]] std::uint64_t first_byte(std::uint32_t block) const noexcept { return layout_.first_byte[block]; }
  /// Where a byte of a block lies; of a buffer all of it. nullopt: it has no memory, or memory that was never written.
  [[nodiscard]] std::optional<std::uint32_t> node_of(std::uint32_t block, std::uint64_t byte = 0) const noexcept;
  [[nodiscard]] page_balancing::pages global_pages() const noexcept;
  [[nodiscard]] memory_hierarchy& hierarchy() noexcept { return memory_; }
  [[nodiscard]] const memory_hierarchy& hierarchy() const noexcept { return memory_; }
  [[nodiscard]] const buffer_pools& pools() const noexcept { return pools_; }

 private:
  void interleave_global(const machine_model& model, std::uint32_t nodes);
  void give_back(std::uint32_t block);

  const dataflow_program& what_;
  block_layout layout_;
  memory_hierarchy memory_;
  buffer_pools pools_;
  std::vector<std::uint32_t> readers_left_;  // by block
};

}  // namespace nearfork::sim

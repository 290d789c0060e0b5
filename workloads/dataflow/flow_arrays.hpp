#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "workloads/buffer.hpp"
#include "workloads/dataflow/flow_program.hpp"

namespace nearfork::workloads {

/// The size and alignment of all memory of values is a multiple of this.
struct alignas(64) flow_unit {
  std::byte bytes[64];
};
[[nodiscard]] constexpr std::size_t units_of(std::uint64_t bytes) noexcept {
  return static_cast<std::size_t>((bytes + sizeof(flow_unit) - 1) / sizeof(flow_unit));
}

/// A piece of a program's own memory, and how a task uses it.
struct flow_use {
  std::byte* data;
  std::size_t bytes;
  bool writes;
};

/// The arrays of a dataflow program, block by block: the initial and the final data, and, if the program shares its
/// arrays, these and the memory of the values that lie apart. Programs with shared arrays copy nothing in and out: the
/// first array holds their initial data, and their final data are what was written last.
class flow_arrays {
 public:
  flow_arrays(const flow_program& program, flow_memory_use use, const array_rules& rules);

  /// New memory.
  void make(const array_rules& rules);
  /// Writes the initial data of blocks, and clears what tasks will write there.
  void fill(std::uint32_t first_block, std::uint32_t last_block);
  /// Clears the values that lie apart.
  void clear_apart();

  [[nodiscard]] flow_memory_use use() const noexcept { return use_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept;
  /// With shared arrays, control tasks and copies do nothing.
  [[nodiscard]] bool is_left_out(const flow_step& one) const noexcept;
  [[nodiscard]] const std::byte* initial() const noexcept { return bytes_of(initial_); }
  [[nodiscard]] std::byte* initial_block(std::uint32_t block) const noexcept { return block_of(initial_, block); }
  [[nodiscard]] std::byte* final_block(std::uint32_t block) const noexcept { return block_of(final_, block); }
  /// Where a value of a program with shared arrays lies, or the block that it is a part of.
  [[nodiscard]] std::byte* place_of(std::uint32_t value) const noexcept;
  /// What a task of a program with shared arrays uses. A piece that it both reads and writes is one that it writes.
  void gather_uses(std::uint32_t task, std::span<const std::uint32_t> outputs, std::vector<flow_use>& uses) const;
  /// By block; nullptr: it has no final data.
  [[nodiscard]] std::vector<const std::byte*> final_blocks() const;

 private:
  [[nodiscard]] static std::byte* bytes_of(const buffer<flow_unit>& of) noexcept {
    return reinterpret_cast<std::byte*>(of.data());
  }
  [[nodiscard]] std::byte* block_of(const buffer<flow_unit>& array, std::uint32_t block) const noexcept {
    return bytes_of(array) + std::size_t{block} * program_->pattern().block_bytes();
  }
  [[nodiscard]] const buffer<flow_unit>& array_at(std::uint32_t step) const noexcept {
    return shared_[step % shared_.size()];
  }

  const flow_program* program_;
  flow_memory_use use_;
  bool has_initial_ = false;
  bool has_final_ = false;
  buffer<flow_unit> initial_{};
  buffer<flow_unit> final_{};
  std::vector<buffer<flow_unit>> shared_;
  std::vector<std::size_t> apart_at_;  // by value: its first unit in apart_
  std::size_t apart_units_ = 0;
  buffer<flow_unit> apart_{};
};

}  // namespace nearfork::workloads

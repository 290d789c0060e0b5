// From an address to the placed block that holds it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "memory/blocks/block_slot.hpp"

namespace nearfork {

/// Names one block. No later block gets the same id.
struct block_id {
  std::uint32_t slot = 0;
  std::uint64_t generation = 0;
  friend constexpr bool operator==(block_id, block_id) = default;
};

struct found_block {
  block_id id{};
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

/// A table of two levels over addresses, with one entry for each chunk_bytes. Blocks begin at multiples of chunk_bytes,
/// and no two blocks share a chunk. find() takes two dependent loads and a look at the slot, without a lock. Only one
/// thread at a time may call add() and remove().
class block_registry {
 public:
  static constexpr unsigned chunk_bits = 21;
  static constexpr std::uintptr_t chunk_bytes = std::uintptr_t{1} << chunk_bits;
  /// The address bits that Linux gives a process that does not ask for more.
  static constexpr unsigned address_bits = 48;

  block_registry();
  ~block_registry();
  block_registry(const block_registry&) = delete;
  block_registry& operator=(const block_registry&) = delete;

  /// Throws: std::bad_alloc; then nothing is registered. O(chunks).
  [[nodiscard]] block_id add(std::uintptr_t begin, std::uintptr_t end);
  void remove(const found_block& gone) noexcept;

  /// Any thread, at any time; O(1).
  [[nodiscard]] std::optional<found_block> find(std::uintptr_t address) const noexcept;

 private:
  static constexpr unsigned leaf_bits = 13;
  static constexpr unsigned root_bits = address_bits - chunk_bits - leaf_bits;
  struct entry {
    block_slot slot;
    std::uint32_t number = 0;
  };
  using leaf = std::array<seam::atomic<entry*>, std::size_t{1} << leaf_bits>;

  [[nodiscard]] leaf& leaf_for(std::uintptr_t address);
  [[nodiscard]] entry& free_entry();
  void fill(std::uintptr_t begin, std::uintptr_t end, entry* with) noexcept;

  // Filled by add(), never emptied; read by find().
  std::array<seam::atomic<leaf*>, std::size_t{1} << root_bits> root_{};
  std::deque<entry> entries_;          // addresses stay
  std::vector<std::uint32_t> unused_;  // of entries_
};

}  // namespace nearfork

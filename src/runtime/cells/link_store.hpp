// The small pieces that a graph is made of, and the blocks of its tasks. All of it under the graph's lock.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "runtime/cells/web_memory.hpp"

namespace nearfork {

/// Links of lists. Links that are given back are used again.
template <class Link>
class link_store {
  static_assert(std::is_trivially_destructible_v<Link> && alignof(Link) <= web_memory::alignment);

 public:
  explicit link_store(web_memory& memory) noexcept : memory_(memory) {}

  /// Throws std::bad_alloc.
  [[nodiscard]] __attribute__((always_inline)) Link* take() {
    if (free_ != nullptr) [[likely]]
      return std::exchange(free_, free_->next);
    return take_fresh();
  }
  /// The next take() does not throw. Throws std::bad_alloc.
  void have_one() { give(take()); }
  void give(Link* one) noexcept { give_list(one, one); }
  /// A list of them, which will be taken in its order.
  void give_list(Link* first, Link* last) noexcept {
    last->next = free_;
    free_ = first;
  }
  /// All that were ever taken, also those that were given back: use(link) must tell them apart by what they hold.
  template <class Use>
  void for_each(const Use& use) const {
    const Link* end = fresh_;
    for (const run* each = newest_; each != nullptr; each = each->before) {
      for (const Link* one = each->links(); one != end; ++one) use(*one);
      end = each->end_before;
    }
  }

 private:
  /// Links that lie side by side. Graphs of a few tasks need few; longer runs are longer than a page.
  struct run {
    run* before;
    const Link* end_before;  // of the run before
    [[nodiscard]] Link* links() const noexcept {
      constexpr std::size_t offset = (sizeof(run) + alignof(Link) - 1) / alignof(Link) * alignof(Link);
      return reinterpret_cast<Link*>(reinterpret_cast<std::uintptr_t>(this) + offset);
    }
  };
  static constexpr std::size_t least_bytes = std::size_t{2} << 10;
  static_assert(sizeof(run) + alignof(Link) + sizeof(Link) <= least_bytes);
  static constexpr std::size_t most_bytes = std::size_t{16} << 10;

  __attribute__((noinline)) Link* take_fresh() {
    if (left_ == 0) begin_run();
    --left_;
    return ::new (static_cast<void*>(fresh_++)) Link();
  }
  void begin_run() {
    const std::span<std::byte> bytes = memory_.take(least_bytes, newest_ == nullptr ? least_bytes : most_bytes);
    newest_ = ::new (bytes.data()) run{newest_, fresh_};
    fresh_ = newest_->links();
    const auto before = static_cast<std::size_t>(reinterpret_cast<std::byte*>(fresh_) - bytes.data());
    left_ = (bytes.size() - before) / sizeof(Link);
  }

  web_memory& memory_;
  Link* free_ = nullptr;
  Link* fresh_ = nullptr;  // those that were never taken, in the newest run
  std::size_t left_ = 0;
  run* newest_ = nullptr;
};

/// Blocks for tasks, in classes of 8 bytes. A block of a multiple of 16 bytes is aligned to 16, others to 8: a type
/// that needs 16 has such a size. Larger blocks come from the heap.
class block_store {
 public:
  static constexpr std::size_t largest = 512;

  struct free_block {
    free_block* next;
  };

  explicit block_store(web_memory& memory) noexcept : memory_(memory) {}

  /// Throws std::bad_alloc.
  [[nodiscard]] void* take(std::size_t bytes) {
    if (bytes > largest) return ::operator new(bytes);
    free_block*& free = free_[class_of(bytes)];
    if (free != nullptr) return std::exchange(free, free->next);
    return take_fresh(class_of(bytes) * step);
  }
  void give(void* block, std::size_t bytes) noexcept {
    if (bytes > largest) return ::operator delete(block);
    free_block*& free = free_[class_of(bytes)];
    free = ::new (block) free_block{free};
  }

 private:
  friend class own_blocks;
  static constexpr std::size_t step = 8;
  static constexpr std::size_t least_bytes = std::size_t{1} << 10;
  static constexpr std::size_t most_bytes = std::size_t{16} << 10;

  [[nodiscard]] static std::size_t class_of(std::size_t bytes) noexcept { return (bytes + step - 1) / step; }
  [[nodiscard]] void* take_fresh(std::size_t bytes) {
    if (bytes % (2 * step) == 0 && fresh_.size() % (2 * step) != 0) fresh_ = fresh_.subspan(step);
    if (fresh_.size() < bytes) fresh_ = memory_.take(least_bytes, most_bytes);
    void* const taken = fresh_.data();
    fresh_ = fresh_.subspan(bytes);
    return taken;
  }

  web_memory& memory_;
  std::array<free_block*, largest / step + 1> free_{};
  std::span<std::byte> fresh_;  // never taken; it ends at a multiple of 16 bytes
};

/// Blocks that the frame which made the graph takes without the lock. They belong to the block_store.
class own_blocks {
 public:
  /// nullptr: none is left; then fill() under the graph's lock.
  [[nodiscard]] void* take(std::size_t bytes) noexcept {
    free_block*& free = free_[block_store::class_of(bytes)];
    if (free == nullptr) return nullptr;
    return std::exchange(free, free->next);
  }
  /// With all free blocks of this class; if there are none, with a few fresh ones. Throws std::bad_alloc.
  void fill(block_store& from, std::size_t bytes) {
    const std::size_t at = block_store::class_of(bytes);
    if (free_[at] == nullptr) free_[at] = std::exchange(from.free_[at], nullptr);
    if (free_[at] != nullptr) return;
    for (int i = 0; i < fresh_at_once; ++i)
      free_[at] = ::new (from.take_fresh(at * block_store::step)) free_block{free_[at]};
  }

 private:
  using free_block = block_store::free_block;
  static constexpr int fresh_at_once = 16;

  std::array<free_block*, block_store::largest / block_store::step + 1> free_{};
};

}  // namespace nearfork

// The small pieces that a graph is made of, and the blocks of its tasks. All of it under the graph's lock.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace nearfork {

/// Links of lists. Links that are given back are used again; memory is given back at the end.
template <class Link>
class link_store {
  static_assert(std::is_trivially_destructible_v<Link> && alignof(Link) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

 public:
  /// Throws std::bad_alloc.
  [[nodiscard]] __attribute__((always_inline)) Link* take() {
    if (free_ != nullptr) [[likely]]
      return std::exchange(free_, free_->next);
    return take_fresh();
  }
  void give(Link* one) noexcept { give_list(one, one); }
  /// A list of them, which will be taken in its order.
  void give_list(Link* first, Link* last) noexcept {
    last->next = free_;
    free_ = first;
  }
  /// All that were ever taken, also those that were given back: use(link) must tell them apart by what they hold.
  template <class Use>
  void for_each(const Use& use) const {
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      const std::size_t taken = links_of(i) - (i + 1 == chunks_.size() ? left_ : 0);
      const Link* const first = std::launder(reinterpret_cast<const Link*>(chunks_[i].get()));
      for (std::size_t j = 0; j < taken; ++j) use(first[j]);
    }
  }

 private:
  [[nodiscard]] static constexpr std::size_t links_of(std::size_t chunk) noexcept { return chunk == 0 ? 64 : 1024; }
  __attribute__((noinline)) Link* take_fresh() {
    if (left_ == 0) {
      const std::size_t count = links_of(chunks_.size());
      chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(count * sizeof(Link)));
      fresh_ = chunks_.back().get();
      left_ = count;
    }
    --left_;
    return ::new (std::exchange(fresh_, fresh_ + sizeof(Link))) Link();
  }

  Link* free_ = nullptr;
  std::byte* fresh_ = nullptr;  // links that were never taken, in the last chunk
  std::size_t left_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
};

/// Blocks for tasks, in classes of 8 bytes. A block of a multiple of 16 bytes is aligned to 16, others to 8: a type
/// that needs 16 has such a size. Larger blocks come from the heap.
class block_store {
 public:
  static constexpr std::size_t largest = 512;

  struct free_block {
    free_block* next;
  };

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
  static constexpr std::size_t first_chunk = std::size_t{4} << 10;
  static constexpr std::size_t chunk = std::size_t{64} << 10;

  [[nodiscard]] static std::size_t class_of(std::size_t bytes) noexcept { return (bytes + step - 1) / step; }
  [[nodiscard]] void* take_fresh(std::size_t bytes) {
    if (bytes % (2 * step) == 0 && left_ % (2 * step) != 0) {
      left_ -= step;
      fresh_ += step;
    }
    if (left_ < bytes) {
      const std::size_t size = chunks_.empty() ? first_chunk : chunk;
      chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
      fresh_ = chunks_.back().get();
      left_ = size;
    }
    left_ -= bytes;
    return std::exchange(fresh_, fresh_ + bytes);
  }

  std::array<free_block*, largest / step + 1> free_{};
  std::byte* fresh_ = nullptr;
  std::size_t left_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
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

// The small pieces that a graph is made of, and the blocks of its tasks. All of it under the graph's lock.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace nearfork {

/// Links of lists. Links that are given back are used again; memory is given back at the end.
template <class Link>
class link_store {
 public:
  /// Throws std::bad_alloc.
  [[nodiscard]] Link* take() {
    if (free_ == nullptr) grow();
    return std::exchange(free_, free_->next);
  }
  void give(Link* one) noexcept {
    one->next = free_;
    free_ = one;
  }

 private:
  void grow() {
    const std::size_t count = chunks_.empty() ? 64 : 1024;
    chunks_.push_back(std::make_unique<Link[]>(count));
    for (std::size_t i = 0; i < count; ++i) give(&chunks_.back()[i]);
  }

  Link* free_ = nullptr;
  std::vector<std::unique_ptr<Link[]>> chunks_;
};

/// Blocks for tasks, in classes of 32 bytes. Larger blocks come from the heap.
class block_store {
 public:
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
  struct free_block {
    free_block* next;
  };
  static constexpr std::size_t step = 32;
  static constexpr std::size_t largest = 512;
  static constexpr std::size_t first_chunk = std::size_t{4} << 10;
  static constexpr std::size_t chunk = std::size_t{64} << 10;

  [[nodiscard]] static std::size_t class_of(std::size_t bytes) noexcept { return (bytes + step - 1) / step; }
  [[nodiscard]] void* take_fresh(std::size_t bytes) {
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

}  // namespace nearfork

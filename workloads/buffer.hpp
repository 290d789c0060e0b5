#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <nearfork/array.hpp>

#include "workloads/array_rules.hpp"

namespace nearfork::workloads {

/// An array as array_rules say: a nearfork::array or plain memory. Its elements have no values at first, and no page of
/// a large one has been touched. Below 32 MiB plain memory may be used again, with pages that lie where they were.
template <class T>
class buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  buffer() = default;
  buffer(std::size_t count, const array_rules& rules) : size_(count) {
    if (rules.placed) placed_ = array<T>(count, *rules.placed);
    else plain_ = std::make_unique_for_overwrite<T[]>(count);
    begin_ = rules.placed ? placed_.data() : plain_.get();
  }

  [[nodiscard]] T* data() const noexcept { return begin_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
  [[nodiscard]] std::span<T> all() const noexcept { return {begin_, size_}; }

  void swap(buffer& other) noexcept {
    placed_.swap(other.placed_);
    plain_.swap(other.plain_);
    std::swap(begin_, other.begin_);
    std::swap(size_, other.size_);
  }

 private:
  array<T> placed_{};
  std::unique_ptr<T[]> plain_{};
  T* begin_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace nearfork::workloads

#pragma once

#include <cassert>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <nearfork/detail/memory.hpp>
#include <nearfork/memory_options.hpp>

namespace nearfork {

/// Elements side by side, as many as at the start, on pages that lie where the options say: by default near the tasks
/// of the regions that run while it lives.
///
/// All elements start as T(). Those of types without a constructor are zero and stay untouched until somebody uses them,
/// so that first touch places their pages where nothing else does; but where there is one node, the pages may be those of a block
/// that was freed, which are cleared at once. (A T with a pointer to data member inside needs a constructor: its null is not
/// zero.) Access as with std::span; moving it moves no element.
template <class T>
class array {
 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  array() noexcept = default;
  /// O(1) for types without a constructor and `count` elements of placed_from_bytes together on fresh pages, else O(count).
  /// Throws: what T() throws; nearfork::error if there is no such memory, an option is wrong, or in strict mode if it
  /// cannot be placed as it says.
  explicit array(std::size_t count, const memory_options& options = {});
  array(array&& other) noexcept : begin_(std::exchange(other.begin_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  array& operator=(array&& other) noexcept {
    array(std::move(other)).swap(*this);
    return *this;
  }
  ~array() { release(); }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] T* data() noexcept { return begin_; }
  [[nodiscard]] const T* data() const noexcept { return begin_; }
  [[nodiscard]] T* begin() noexcept { return begin_; }
  [[nodiscard]] T* end() noexcept { return begin_ + size_; }
  [[nodiscard]] const T* begin() const noexcept { return begin_; }
  [[nodiscard]] const T* end() const noexcept { return begin_ + size_; }
  [[nodiscard]] T& operator[](std::size_t i) noexcept {
    assert(i < size_);
    return begin_[i];
  }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept {
    assert(i < size_);
    return begin_[i];
  }
  [[nodiscard]] operator std::span<T>() noexcept { return {begin_, size_}; }
  [[nodiscard]] operator std::span<const T>() const noexcept { return {begin_, size_}; }

  void swap(array& other) noexcept {
    std::swap(begin_, other.begin_);
    std::swap(size_, other.size_);
  }

 private:
  static constexpr bool zero_is_fresh = std::is_trivially_default_constructible_v<T>;

  void release() noexcept {
    if (begin_ == nullptr) return;
    std::destroy_n(begin_, size_);
    detail::free_memory(begin_, size_ * sizeof(T));
  }

  T* begin_ = nullptr;
  std::size_t size_ = 0;
};

template <class T>
array<T>::array(std::size_t count, const memory_options& options) {
  static_assert(std::is_object_v<T> && !std::is_const_v<T>);
  if (count == 0) return;
  const std::size_t bytes = detail::bytes_of_elements(count, sizeof(T));
  const bool special = options.where.how != placing::rule::follow_plan || options.huge == huge_pages::wanted;
  const std::size_t alignment = options.alignment > alignof(T) ? options.alignment : alignof(T);
  const detail::fresh_memory fresh = detail::allocate_memory(
      bytes, alignment, options, special ? detail::block_kind::placed : detail::block_kind::by_size);
  T* const first = static_cast<T*>(fresh.begin);
  if (!zero_is_fresh || !fresh.zeroed) {
    try {
      std::uninitialized_value_construct_n(first, count);
    } catch (...) {
      detail::free_memory(fresh.begin, bytes);
      throw;
    }
  }
  begin_ = first;
  size_ = count;
}

template <class T>
void swap(array<T>& one, array<T>& other) noexcept {
  one.swap(other);
}

}  // namespace nearfork

#pragma once

#include <nearfork/detail/language.hpp>

#include <cassert>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <nearfork/detail/memory.hpp>
#include <nearfork/memory_options.hpp>

namespace nearfork {

/// Fixed-size array whose pages are placed as `memory_options` say: by default near the tasks of the regions that run
/// while the array lives.
///
///     nearfork::array<double> grid(1 << 20);
///     nearfork::parallel_for(std::size_t{0}, grid.size(), [&](std::size_t i) { grid[i] = 1.0; });
///     nearfork::array<int> shared(1 << 20, {.where = nearfork::placing::interleaved()});
///
/// All elements start as T(). Elements of types without a constructor are zero, and the array does not touch them:
/// their pages are placed by first touch if neither the options nor a plan place them. Exception: a machine with one
/// node may reuse the pages of a freed block, and clears them at once. A T that contains a pointer to a data member
/// needs a constructor, because the null value of such a pointer is not all zero bits.
///
/// Element access is as with std::span, and is checked by assert(). Moving and swapping take constant time and move no
/// element. A moved-from array is empty.
/// Thread-safety: as with std::vector. Different threads may use different elements.
template <class T>
class array {
 public:
  ///@{
  /// As containers have them.
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;
  ///@}

  /// No elements.
  array() noexcept = default;
  /// `count` elements, each T().
  /// Complexity: O(1) if T has no constructor, the elements are at least placed_from_bytes together, and the pages are
  /// fresh; else O(count).
  /// Throws: what T() throws; nearfork::error if there is no such memory, an option is wrong, or, in strict mode, the
  /// memory cannot be placed as the options say.
  explicit array(std::size_t count, const memory_options& options = {});
  /// Takes the elements of `other`. Complexity: O(1).
  array(array&& other) noexcept : begin_(std::exchange(other.begin_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  /// Takes the elements of `other`, and destroys this array's own.
  array& operator=(array&& other) noexcept {
    array(std::move(other)).swap(*this);
    return *this;
  }
  ~array() { release(); }

  /// The number of elements.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// The bytes of all elements.
  [[nodiscard]] std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
  /// True if there are no elements.
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  ///@{
  /// The elements, which are contiguous.
  [[nodiscard]] T* data() noexcept { return begin_; }
  [[nodiscard]] const T* data() const noexcept { return begin_; }
  [[nodiscard]] T* begin() noexcept { return begin_; }
  [[nodiscard]] T* end() noexcept { return begin_ + size_; }
  [[nodiscard]] const T* begin() const noexcept { return begin_; }
  [[nodiscard]] const T* end() const noexcept { return begin_ + size_; }
  ///@}
  ///@{
  /// Element i, which must be below size().
  [[nodiscard]] T& operator[](std::size_t i) noexcept {
    assert(i < size_);
    return begin_[i];
  }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept {
    assert(i < size_);
    return begin_[i];
  }
  ///@}
  ///@{
  /// All elements.
  [[nodiscard]] operator std::span<T>() noexcept { return {begin_, size_}; }
  [[nodiscard]] operator std::span<const T>() const noexcept { return {begin_, size_}; }
  ///@}

  /// Exchanges the elements of two arrays. Complexity: O(1).
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

/// one.swap(other).
template <class T>
void swap(array<T>& one, array<T>& other) noexcept {
  one.swap(other);
}

}  // namespace nearfork

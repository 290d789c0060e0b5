#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include <nearfork/detail/memory.hpp>
#include <nearfork/memory_options.hpp>

namespace nearfork {

/// For containers: std::vector<double, nearfork::allocator<double>>. Large allocations are placed blocks, small ones come
/// from the pools of a node (placed_from_bytes). A vector touches its elements where it is filled, so on that thread's node unless
/// the options, or a region that has run before, say otherwise; nearfork::array leaves them to first touch.
/// Any allocator frees what any other allocated.
template <class T>
class allocator {
 public:
  using value_type = T;
  using is_always_equal = std::true_type;
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;

  allocator() noexcept = default;
  explicit allocator(const memory_options& options) : options_(std::make_shared<const memory_options>(options)) {}
  template <class U>
  allocator(const allocator<U>& other) noexcept : options_(other.shared_options()) {}

  /// Throws nearfork::error, see nearfork::array.
  [[nodiscard]] T* allocate(std::size_t count) {
    static const memory_options defaults;
    const memory_options& how = options_ ? *options_ : defaults;
    return static_cast<T*>(
        detail::allocate_memory(detail::bytes_of_elements(count, sizeof(T)), alignment(how), how).begin);
  }
  void deallocate(T* begin, std::size_t count) noexcept { detail::free_memory(begin, count * sizeof(T)); }

  [[nodiscard]] const std::shared_ptr<const memory_options>& shared_options() const noexcept { return options_; }
  template <class U>
  [[nodiscard]] bool operator==(const allocator<U>&) const noexcept {
    return true;
  }

 private:
  [[nodiscard]] static std::size_t alignment(const memory_options& how) noexcept {
    return how.alignment > alignof(T) ? how.alignment : alignof(T);
  }
  std::shared_ptr<const memory_options> options_;
};

}  // namespace nearfork

#pragma once

#include <nearfork/detail/language.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>

#include <nearfork/detail/memory.hpp>
#include <nearfork/memory_options.hpp>

namespace nearfork {

/// Allocator for standard containers whose memory lies on chosen NUMA nodes.
///
///     using doubles = std::vector<double, nearfork::allocator<double>>;
///     const nearfork::allocator<double> over_all_nodes({.where = nearfork::placing::interleaved()});
///     doubles table(1 << 20, 1.0, over_all_nodes);
///
/// Large allocations are placed blocks. Small allocations come from the pools of a node: see placed_from_bytes.
/// A vector writes its elements when it is filled, so its pages come to lie on the node of the filling thread, unless
/// the options or a region that has run before place them. A nearfork::array does not write its elements: it leaves
/// them to first touch.
///
/// Any allocator may free what any other allocator allocated, so all allocators compare equal.
/// Complexity: copying shares the options. Thread-safety: any thread may allocate and free through one allocator.
/// Throws: std::bad_alloc where it is made with options; nearfork::error in allocate().
template <class T>
class allocator {
 public:
  ///@{
  /// As the standard wants them of an allocator.
  using value_type = T;
  using is_always_equal = std::true_type;
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;
  ///@}

  /// With the default options: pages follow the plan.
  allocator() noexcept = default;
  /// With these options for all that this allocator and its copies allocate.
  explicit allocator(const memory_options& options) : options_(std::make_shared<const memory_options>(options)) {}
  ///@{
  /// With the options of `other`, which keeps them also if it is moved from.
  allocator(const allocator& other) noexcept = default;
  allocator& operator=(const allocator& other) noexcept = default;
  ///@}
  ~allocator() = default;
  /// With the options of `other`, as containers need it for their nodes.
  template <class U>
  allocator(const allocator<U>& other) noexcept : options_(other.shared_options()) {}

  /// Memory for `count` elements, which are not constructed.
  /// Throws: nearfork::error if there is no such memory, an option is wrong, or, in strict mode, the memory cannot be
  /// placed as the options say.
  [[nodiscard]] T* allocate(std::size_t count) {
    const memory_options& how = options_ ? *options_ : detail::default_memory_options();
    return static_cast<T*>(
        detail::allocate_memory(detail::bytes_of_elements(count, sizeof(T)), alignment(how), how).begin);
  }
  /// Frees what allocate(count) of any nearfork::allocator returned.
  void deallocate(T* begin, std::size_t count) noexcept { detail::free_memory(begin, count * sizeof(T)); }

  /// The options; null: the defaults.
  [[nodiscard]] const std::shared_ptr<const memory_options>& shared_options() const noexcept { return options_; }
  /// True: any of them frees what any other allocated.
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

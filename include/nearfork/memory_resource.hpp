#pragma once

#include <nearfork/detail/language.hpp>

#include <cstddef>
#include <memory_resource>
#include <utility>

#include <nearfork/memory_options.hpp>

namespace nearfork {

/// Memory resource for std::pmr containers: as nearfork::allocator, with one set of options for all its allocations.
///
///     nearfork::placed_resource on_node_0({.where = nearfork::placing::preferring(0)});
///     std::pmr::vector<int> numbers(100'000, 7, &on_node_0);
///
/// The resource holds no memory: its allocations may outlive it, and any other placed_resource may free them. So all
/// placed resources compare equal.
/// Thread-safety: any thread may allocate and free. Throws: nearfork::error in allocate(), as nearfork::allocator.
class NEARFORK_STANDARD_LAYOUT placed_resource final : public std::pmr::memory_resource {
 public:
  /// With the default options: pages follow the plan.
  placed_resource() = default;
  /// With these options.
  explicit placed_resource(memory_options options) : options_(std::move(options)) {}

  /// The options of all its allocations.
  [[nodiscard]] const memory_options& options() const noexcept { return options_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* begin, std::size_t bytes, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;

  memory_options options_{};
};

}  // namespace nearfork

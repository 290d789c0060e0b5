#pragma once

#include <cstddef>
#include <memory_resource>
#include <utility>

#include <nearfork/memory_options.hpp>

namespace nearfork {

/// For std::pmr containers: as nearfork::allocator, with one set of options for all that it allocates. Any thread may use
/// it. It holds no memory itself: what it gave may outlive it, and any other placed_resource may take it back.
class placed_resource final : public std::pmr::memory_resource {
 public:
  placed_resource() = default;
  explicit placed_resource(memory_options options) : options_(std::move(options)) {}

  [[nodiscard]] const memory_options& options() const noexcept { return options_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* begin, std::size_t bytes, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;

  memory_options options_{};
};

}  // namespace nearfork

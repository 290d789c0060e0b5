// Spare fibers, last in, first out: the last fiber's pages are the warmest.
#pragma once

#include <cstdint>

#include <nearfork/detail/fiber.hpp>

#include "runtime/fibers/fiber_context.hpp"

namespace nearfork {

class spare_list {
 public:
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }

  void push(detail::fiber& spare) noexcept {
    spare.context->next_spare = first_;
    first_ = &spare;
    ++size_;
  }
  /// nullptr: there is none.
  [[nodiscard]] detail::fiber* pop() noexcept {
    detail::fiber* const taken = first_;
    if (taken == nullptr) return nullptr;
    first_ = taken->context->next_spare;
    --size_;
    return taken;
  }

 private:
  detail::fiber* first_ = nullptr;
  std::uint32_t size_ = 0;
};

}  // namespace nearfork

// Jobs of a fiber's deque have become open to thieves.
#pragma once

#include <nearfork/detail/fiber.hpp>

namespace nearfork::detail {

/// Counts it, and wakes somebody if all sleep.
void count_publication(fiber& self) noexcept;

}  // namespace nearfork::detail

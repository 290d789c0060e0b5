// Jobs of a fiber's deque have become open to thieves.
#pragma once

#include <nearfork/detail/fiber.hpp>

namespace nearfork::detail {

/// Counts the publication, and wakes a worker if one sleeps and none searches.
void count_publication(fiber& self) noexcept;

}  // namespace nearfork::detail

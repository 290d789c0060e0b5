// Jobs become open to other workers.
#pragma once

#include <nearfork/detail/fiber.hpp>

namespace nearfork::detail {

/// Called before jobs of the fiber's deque are shared, so that the trace has that before their steals.
void note_sharing(fiber& self) noexcept;
/// Called before `sent` is put into the pool of `domain`.
void note_sending(worker& me, const job& sent, std::uint32_t domain) noexcept;

/// Counts the publication, and wakes a worker if one sleeps and none searches.
void count_publication(fiber& self) noexcept;

}  // namespace nearfork::detail

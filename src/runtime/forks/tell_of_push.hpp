// What a thread sanitizer is told when the library itself pushes a job, for example half of a loop.
#pragma once

#include <nearfork/detail/fiber.hpp>

#include "base/sanitizer_calls.hpp"

namespace nearfork::detail {

/// Call it before the library raises the head of the fiber's deque. A thief may take the job by force, without a word
/// from the owner ([D6] of deque.hpp). The release of the head orders both. A sanitizer sees that release in the
/// program's code, but not in the library's.
inline void tell_of_push(const fiber& self) noexcept {
  sanitizers::hand_over(self.jobs.pushed_address());
}

}  // namespace nearfork::detail

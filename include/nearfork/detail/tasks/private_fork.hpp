// A fork whose second half is not offered to thieves that ask.
#pragma once

#include <utility>

#include <nearfork/detail/fiber.hpp>
#include <nearfork/fork_join.hpp>

namespace nearfork::detail {

/// The slow half of hold_requests().
[[nodiscard]] bool hold_requests_slow() noexcept;

/// [D7] of deque.hpp: the next push of the calling fiber answers no thief. True: renew_requests() must follow.
[[nodiscard]] inline bool hold_requests() noexcept {
  return this_fiber().jobs.requested() && hold_requests_slow();
}
inline void renew_requests() noexcept {
  this_fiber().jobs.request();
}

/// As fork_join(f, g), for calls of some nanoseconds that may take long for once: a steal takes a hundred times as long
/// as such a call, so no thief gets g that only asks. But if f takes microseconds, one that finds nothing else takes g
/// by force ([D6] of deque.hpp).
template <class F, class G>
NEARFORK_INLINE auto fork_privately(F&& f, G&& g) {
  const bool held = hold_requests();
  const auto first = [&] {
    if (held) renew_requests();
    return f();
  };
  return fork_join(first, std::forward<G>(g));
}

}  // namespace nearfork::detail

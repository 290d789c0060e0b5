// What a thread outside workers does before it sleeps.
#pragma once

#include <cstdint>

#include <nearfork/detail/seam.hpp>

#include "base/monotonic_clock.hpp"

namespace nearfork {

/// Looks for two microseconds, unless there is something better to do. To sleep and to be woken takes 10 or more;
/// longer looks gain nothing (5 and 10 us tried, two cores), and where all cores have work they take time from it.
template <class Happened, class Better>
[[nodiscard]] bool happens_soon(const Happened& happened, const Better& better) noexcept {
  constexpr std::uint64_t most_ns = 2'000;
  const std::uint64_t until = now_ns() + most_ns;
  do {
    if (happened()) return true;
    if (better()) return false;
    for (int i = 0; i < 4; ++i) detail::seam::pause();
  } while (now_ns() < until);
  return false;
}

}  // namespace nearfork

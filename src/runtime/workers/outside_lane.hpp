#pragma once

#include <cstdint>

#include <nearfork/detail/fiber.hpp>
#include <nearfork/detail/seam.hpp>

#include "runtime/protocols/outside_lanes.hpp"
#include "runtime/workers/coarse_tasks.hpp"

namespace nearfork {

/// The jobs that one thread outside has pushed and nobody has taken: outside_lanes.hpp.
struct outside_lane {
  detail::deque jobs;
  coarse_tasks coarse;
  std::uint64_t shared_at = 0;  // ticks: when the owner shared jobs last
  detail::seam::atomic<bool> taken{false};
};

using crew_lanes = outside_lanes<outside_lane>;

}  // namespace nearfork

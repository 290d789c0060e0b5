#pragma once

#include <cstdint>

#include <nearfork/detail/fiber.hpp>
#include <nearfork/detail/seam.hpp>

#include "base/threads/catch_up.hpp"
#include "runtime/protocols/outside_lanes.hpp"
#include "runtime/trials/short_loops.hpp"
#include "runtime/workers/coarse_tasks.hpp"

namespace nearfork {

/// What the owners of a lane remember of their groups, and of the one in progress.
struct lone_group {
  short_groups seen;  // by the code of the first task
  std::uintptr_t code = 0;
  bool alone = false;            // the lane was hidden when the group began
  std::uint64_t began = 0;       // ticks
  std::uint64_t most_ticks = 0;  // alone, it may take so long
};

/// The jobs that one thread outside has pushed and nobody has taken: outside_lanes.hpp.
struct outside_lane {
  detail::deque jobs;
  coarse_tasks coarse;
  std::uint64_t shared_at = 0;  // ticks: when the owner shared jobs last
  lone_group group;
  std::uint64_t found_full = 0;                       // so often, by the group in progress
  catch_up catching_up;                               // when it is full
  detail::seam::atomic<const void*> thread{nullptr};  // that has claimed it: this_thread_address()
  detail::seam::atomic<bool> taken{false};
  detail::seam::atomic<bool> hidden{false};
  detail::seam::atomic<std::uint32_t> uses{0};
};

using crew_lanes = outside_lanes<outside_lane>;

}  // namespace nearfork

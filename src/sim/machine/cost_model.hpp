// The costs of a scheduler's acts in virtual time. Orders of magnitude of nearfork on current server cores, to be
// replaced by what `nearfork bench` measures on the machine in question. They are not measurements.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include <nearfork/detail/steal_distance.hpp>

namespace nearfork::sim {

/// A time that does not come.
inline constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

struct cost_model {
  std::uint64_t fork_ns = 3;           // for each child, if no plan is asked
  std::uint64_t planned_fork_ns = 60;  // for each child above the subtree roots, or while profiling
  /// The cost of stealing a job from the deque of a worker at that distance.
  std::array<std::uint64_t, steal_distances> steal_ns{80, 120, 250, 300, 500};
  std::uint64_t failed_look_ns = 20;  // for each victim or pool that was found empty before
  std::uint64_t pool_ns = 100;        // each push and each take
  std::uint64_t suspend_ns = 50;      // a join that must wait leaves its stack
  std::uint64_t resume_ns = 100;      // and is resumed
  /// A searching worker in the same cache sees new work after notice_ns; one further away a little later
  /// (sim/engine/call_times.hpp). After spin_ns without new work it parks, and must be woken.
  std::uint64_t notice_ns = 100;
  std::uint64_t spin_ns = 50'000;   // never: it searches without end
  std::uint64_t wake_ns = 20'000;   // from the call to the first look of the woken worker
  std::uint64_t notify_ns = 1'500;  // for the worker that calls
  std::uint64_t mug_ns = 2'000;     // a worker takes over another one's task
  /// For each page that is moved, beside the copy of its bytes. With the copy about 1 GiB/s, which kernels reach.
  std::uint64_t move_page_ns = 2'500;
};

}  // namespace nearfork::sim

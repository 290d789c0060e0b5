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
  std::uint64_t fork_ps = 3'000;           // for each child, if no plan is asked
  std::uint64_t planned_fork_ps = 60'000;  // for each child above the subtree roots, or while profiling
  /// The cost of stealing a job from the deque of a worker at that distance.
  std::array<std::uint64_t, steal_distances> steal_ps{80'000, 120'000, 250'000, 300'000, 500'000};
  std::uint64_t failed_look_ps = 20'000;  // for each victim or pool that was found empty before
  std::uint64_t pool_ps = 100'000;        // each push and each take
  std::uint64_t suspend_ps = 50'000;      // a join that must wait leaves its stack
  std::uint64_t resume_ps = 100'000;      // and is resumed
  /// A searching worker in the same cache sees new work after notice_ps; one further away a little later
  /// (sim/engine/call_times.hpp). After spin_ps without new work it parks, and must be woken.
  std::uint64_t notice_ps = 100'000;
  std::uint64_t spin_ps = 50'000'000;   // never: it searches without end
  std::uint64_t wake_ps = 20'000'000;   // from the call to the first look of the woken worker
  std::uint64_t notify_ps = 1'500'000;  // for the worker that calls
  std::uint64_t mug_ps = 2'000'000;     // a worker takes over another one's task
  /// For each page that is moved, beside the copy of its bytes. With the copy about 1 GiB/s, which kernels reach.
  std::uint64_t move_page_ps = 2'500'000;
};

}  // namespace nearfork::sim

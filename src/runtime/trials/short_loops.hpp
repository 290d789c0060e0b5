// What a worker remembers of the loops that it called, and a lane of the groups of threads outside.
#pragma once

#include <cstdint>

#include <nearfork/detail/short_loop.hpp>

#include "runtime/trials/brief_loop.hpp"
#include "runtime/trials/code_table.hpp"
#include "runtime/trials/joint_trial.hpp"
#include "runtime/trials/short_loop_trial.hpp"

namespace nearfork {

/// Loops and groups that take longer are always shared: about 50 us. A thread outside workers may wait as long for a
/// worker that it woke.
inline constexpr std::uint64_t longest_alone_ticks = 16 * detail::look_up_ticks;

struct remembered_loop {
  detail::bodies_seen bodies = detail::bodies_seen::unknown;
  brief_loop brief{};
  place_times times{};
};

/// Of one worker.
struct short_loops {
  code_table<remembered_loop> places;
  joint_trial trial{longest_alone_ticks};
};

/// Of one lane.
using short_groups = code_table<short_loop_trial>;

}  // namespace nearfork

// What a thread outside workers spawns into a group that it has made lies in a lane until it is taken
// (runtime/protocols/outside_lanes.hpp): private, as in a worker's deque, so that a spawn takes no lock and wakes
// nobody while no worker asks. In the injector, which has a lock for all, 1024 trivial tasks took 244 us on two
// workers, and take 68 to 160.
//
// Of four trivial tasks that took 4.1 us, most was to wake a worker that came too late. So a lane stays hidden where
// groups end sooner without workers: 1.35 us.
//
// The thread owns the lane. While it waits for the group, whatever fiber runs the group's tasks for it owns the lane in
// its stead.
#pragma once

#include <nearfork/detail/job.hpp>
#include <nearfork/detail/tasks/group_task.hpp>

#include "runtime/workers/crew.hpp"

namespace nearfork::detail {

/// For a group that begins with `first`. The lane is hidden if such groups end sooner where no worker helps
/// (short_loop_trial.hpp). nullptr: none can be had.
[[nodiscard]] outside_lane* claim_lane(crew& home, const group_job& first) noexcept;
/// The group has ended.
void give_back_lane(crew& home, outside_lane& own) noexcept;
/// False: the lane is full, and stays so for some tenths of a millisecond. In the injector a million trivial tasks that
/// nobody runs meanwhile took 510 to 740 ns each, and 320 to 340 so.
[[nodiscard]] bool push_in_lane(crew& home, outside_lane& own, job& pushed) noexcept;
/// The youngest job; nullptr: there is none left.
[[nodiscard]] job* pop_from_lane(crew& home, outside_lane& own) noexcept;
/// A lane that is hidden is opened once the group has taken too long.
void open_if_slow(crew& home, outside_lane& own) noexcept;
/// The owner is about to be busy with something else: what it has left can be taken without a word from it.
void open_lane(crew& home, outside_lane& own) noexcept;

}  // namespace nearfork::detail

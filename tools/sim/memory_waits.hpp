// Recorded times of tasks contain what the tasks waited for the memory of the machine that recorded. A simulation adds
// the waits for the memory of its own machine; it would count both.
#pragma once

#include <string>

#include "recording/recording.hpp"
#include "tools/sim/campaign.hpp"
#include "tools/sim/request.hpp"

namespace nearfork::tools {

/// The machine that recorded, among those of the study: one with measured values, if there is one, because assumed ones
/// may be far off. nullptr: the study does not have it.
[[nodiscard]] const simulated_machine* machine_of_recording(const sim_study& study, const recorded_facts& facts);

/// Takes the waits out of the programs of a study of recordings: simulates each recorded region as it was recorded, on
/// the model of the machine that recorded it, and shortens each task by the latencies that the simulation adds to it.
/// What a task waited because memory was busy stays in its time: times alone do not tell it from computation.
/// study.waits says what was taken out, or why nothing was. Dataflow tasks are simulated by the usual rule. If `stops`
/// says so, nothing changes. Takes as long as a simulation of the recorded iterations.
/// Throws: nearfork::error if the region is more than can be simulated.
void take_memory_waits_out(sim_study& study, const campaign_watcher& watch = {}, const campaign_stop& stops = {});

/// The recording with the computation of its region's program, for programs that are made from changed recordings.
[[nodiscard]] recordings::recording with_computation_of(const sim::program& what,
                                                        const recordings::recording& recorded);

}  // namespace nearfork::tools

// Counters of the kernel's perf_event, for the calling thread in user mode.
#pragma once

#include <span>

#include "sensors/counting_system.hpp"

namespace nearfork {

/// All events count together or not at all; a reading is their sum. If the kernel lets threads read the hardware
/// themselves (x86-64, cap_user_rdpmc), a reading is three RDPMCs at most, some tens of cycles each; not measured yet.
/// Else it is one read(2): 0.63 us for a software event, in a virtual machine on an EPYC of family 1Ah.
[[nodiscard]] perf_opening open_perf_counters(std::span<const event_code> events);

/// Tries PERF_COUNT_HW_CPU_CYCLES, which all hardware with counters has. Returns 0 or an errno value.
[[nodiscard]] int try_cycle_counter() noexcept;

}  // namespace nearfork

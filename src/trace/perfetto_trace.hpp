// A timeline in the format of Perfetto, which ui.perfetto.dev and trace_processor open.
#pragma once

#include <cstdint>
#include <string>

#include "trace/traced_run.hpp"

namespace nearfork::traces {

/// A track for each worker, a thread of the run's process whose name begins with its domain and node; a track for each
/// counter. If events are lost, the process's track says how many.
/// Traces with different parts, and of different processes, make one trace when they are written one after the other.
[[nodiscard]] std::string perfetto_trace(const traced_run& run, std::uint32_t part = 0);

}  // namespace nearfork::traces

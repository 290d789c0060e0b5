// How hot chunks are by the hints of an iteration's tasks.
#pragma once

#include <span>

#include "runtime/recording/iteration_log.hpp"
#include "sensors/hotness/heat_source.hpp"

namespace nearfork {

/// Adds to `heat`, by chunk, the cache lines that the tasks said to read or write. False: no hint names a byte of a
/// chunk. Called after all tasks have ended. Linear in hints and in the chunks that each overlaps.
[[nodiscard]] bool add_hinted_heat(detail::iteration_log& log, std::span<const address_range> chunks,
                                   std::span<double> heat);

}  // namespace nearfork

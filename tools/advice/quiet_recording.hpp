// A recording of many iterations as if nothing else had run on the machine. Pure.
#pragma once

#include "recording/recording.hpp"

namespace nearfork::tools {

/// Each region with one iteration alone: of the iterations with the most frequent tree, each stretch has its median
/// time, and the whole has the shortest. So what the system did meanwhile with a worker's core is in no stretch, unless
/// it did so half of the time. The first iteration counts only if there is no other: it touches pages for the first
/// time. Linear in the tasks of all iterations.
[[nodiscard]] recordings::recording quiet_recording(const recordings::recording& of);

}  // namespace nearfork::tools

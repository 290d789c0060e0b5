// A recorded region as a program that the simulator runs.
#pragma once

#include <string>

#include "recording/recording.hpp"
#include "sim/programs/program.hpp"

namespace nearfork::sim {

/// The region called `name`; empty: the one with the most work. Its recorded iterations follow each other, again and again.
/// Blocks of data lie side by side, each from a page's beginning on. Time is what the recording's machine took, its waits for
/// memory included: on the model, misses come on top. Tasks without a hint only compute.
/// Throws nearfork::error: no such region, or none that has tasks; more than 2^24 pieces of strided accesses.
[[nodiscard]] program program_from(const recordings::recording& recorded, const std::string& name = {});

}  // namespace nearfork::sim

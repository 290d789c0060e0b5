// Machines in which a simulated line stands for several lines, so that large machines and inputs can be simulated.
//
// Data, caches and pages are scaled together. A scaled line is as long as the lines that it stands for, and costs as
// much as all of them: latencies and bandwidths are those of the machine. So a cache has a 16th of its lines in as many
// ways, holds as many bytes as before, and times are those of the whole problem: nothing has to be scaled back. Tasks,
// computation and the scheduler's acts stay as they are. What is lost: which part of a scaled line is touched. So a
// program with accesses that are short beside a scaled line touches more than it should.
#pragma once

#include <cstdint>

#include "machine/model/machine.hpp"
#include "sim/machine/machine_model.hpp"

namespace nearfork::sim {

/// A simulated line stands for `lines`, a power of two. A page is at least one line.
/// Throws: nearfork::error if a cache would have fewer lines than are sensible.
[[nodiscard]] machine_model scaled(const machine& where, const machine_model& model, std::uint32_t lines);

/// The fewest lines that a scaled cache may have: two rows of eight ways, as an L1 of 32 KiB has at 1/32.
inline constexpr std::uint64_t fewest_scaled_lines = 16;

}  // namespace nearfork::sim

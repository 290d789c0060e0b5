// A task graph as bytes: docs/RECORDING.md, "A graph". One graph has one code, and the other way round.
#pragma once

#include "trace/byte_reader.hpp"
#include "trace/byte_writer.hpp"
#include "trace/recording.hpp"

namespace nearfork::trace {

/// A task takes two bytes at least, an access three.
inline constexpr std::uint64_t least_task_bytes = 2;
inline constexpr std::uint64_t least_access_bytes = 3;

void write_graph(byte_writer& to, const task_graph& graph);

/// Throws nearfork::error. `blocks`: accesses must lie inside; memory taken grows with the bytes that are there, whatever
/// the numbers in them claim.
[[nodiscard]] task_graph read_graph(byte_reader& from, std::span<const data_block> blocks);

}  // namespace nearfork::trace

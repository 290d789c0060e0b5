// The dataflow tasks of a recording as bytes: docs/RECORDING.md, "Kind 6".
#pragma once

#include "recording/byte_reader.hpp"
#include "recording/byte_writer.hpp"
#include "recording/recording.hpp"

namespace nearfork::recordings {

void write_flow(byte_writer& to, const flow_order& flow);

/// Throws: nearfork::error where `graph` has no such tasks, or they cannot run in this order. Memory use grows with the
/// bytes that are there, and with the tasks of `graph` if there are dataflow tasks.
[[nodiscard]] flow_order read_flow(byte_reader& from, const task_graph& graph);

}  // namespace nearfork::recordings

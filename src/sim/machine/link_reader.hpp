// Reads the links of a model file: seats, pairs of them, bandwidth and latency.
#pragma once

#include "machine/model/machine.hpp"
#include "sim/machine/machine_model.hpp"
#include "sim/machine/model_values.hpp"

namespace nearfork::sim {

/// Throws: nearfork::error if an entry is no link, or if a machine of several packages has no links.
[[nodiscard]] interconnect read_interconnect(const machine& where, model_values& values, std::uint32_t line_bytes);

}  // namespace nearfork::sim

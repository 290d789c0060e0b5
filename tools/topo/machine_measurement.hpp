// Measured latencies and bandwidths of a machine: which readings are taken in which order; and the results as a table,
// as JSON and as a model file.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "machine/model/machine.hpp"
#include "tools/topo/measured_hardware.hpp"

namespace nearfork::tools {

struct measured_level {
  unsigned level = 0;
  std::uint64_t bytes = 0;  // of the memory that the loads walk through
  reading hit_ns{};
  reading sweep_ns{};  // more for each line of a sweep than in the outermost cache of the core's own; there: 0
};

struct measured_kind {
  std::string name;
  clock_readings clocks{};
  reading clock_ghz{};  // the clock that the readings agree on
  std::vector<measured_level> levels{};
  reading operations_per_ns{};         // loads, stores and arithmetic
  reading vector_operations_per_ns{};  // in loops that compilers turn into vector instructions
  reading wrong_guess_ns{};
  reading misses_at_once{};     // in a sweep, prefetchers included
  reading scattered_at_once{};  // of lines that lie apart
};

/// From the cores of one domain to the memory of one node.
struct measured_pair {
  domain_id domain{};
  std::uint32_t node = 0;  // of machine::nodes(); 0 if there are none
  reading latency_ns{};
  reading read_gb_per_s{};  // by all cores of the domain together
};

struct measured_handover {
  steal_distance distance{};
  reading ns{};
};

struct machine_measurement {
  std::uint64_t memory_bytes = 0;  // walked through for latencies of memory
  std::vector<measured_kind> kinds{};
  std::vector<measured_pair> pairs{};          // by domain, then by node
  std::vector<measured_handover> handovers{};  // at the distances that two PUs of the machine have
};

/// Gets the number of readings so far, the number of all, and the name of the next one.
using measuring_progress = std::function<void(std::size_t done, std::size_t all, const std::string& next)>;

[[nodiscard]] std::size_t readings_of(const machine& where);
[[nodiscard]] machine_measurement measure(const machine& where, measured_hardware& hardware,
                                          const measuring_progress& progress);

[[nodiscard]] std::string table_of(const machine& where, const machine_measurement& seen);
[[nodiscard]] nlohmann::json json_of(const machine& where, const machine_measurement& seen);
/// A model file of the machine (docs/MACHINES.md): the measured values, and marked estimates for the rest. Throws:
/// nearfork::error if a necessary value could not be measured.
[[nodiscard]] std::string model_text_of(const machine& where, const machine_measurement& seen);

}  // namespace nearfork::tools

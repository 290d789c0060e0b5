// What `nearfork topo --measure` asks the hardware, one number at a time, behind an interface that tests can fake.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/ids.hpp"
#include "tools/simulated/loop_kind.hpp"
#include "tools/topo/measured_clock.hpp"
#include "tools/topo/reading.hpp"

namespace nearfork::tools {

/// Memory of a node, or memory that the system places.
struct memory_of {
  std::optional<os_index> node{};
  std::uint64_t bytes = 0;
};

class measured_hardware {
 public:
  virtual ~measured_hardware() = default;

  /// The clock of a working core, by several methods; agreed_clock() judges them.
  [[nodiscard]] virtual clock_readings clocks(os_index pu) = 0;
  /// Nanoseconds per load of a chain through lines in random order, in which each load waits for the last one.
  [[nodiscard]] virtual reading load_ns(os_index pu, memory_of where) = 0;
  /// Nanoseconds per load of many such chains that a core walks at once: what it overlaps without a prefetcher's help.
  [[nodiscard]] virtual reading scattered_ns(os_index pu, memory_of where) = 0;
  /// How many loads, stores and arithmetic operations a core does in a nanosecond, sweeping over this many bytes.
  [[nodiscard]] virtual reading operations_per_ns(os_index pu, std::uint64_t bytes, loop_kind of) = 0;
  /// The cost of a mispredicted branch in nanoseconds.
  [[nodiscard]] virtual reading wrong_guess_ns(os_index pu) = 0;
  /// Nanoseconds per line of a sweep over the rows of one half of the memory that writes as many in the other half.
  [[nodiscard]] virtual reading sweep_ns(os_index pu, memory_of where) = 0;
  /// What these PUs read together, in 1e9 bytes per second.
  [[nodiscard]] virtual reading read_gb_per_s(std::span<const os_index> pus, memory_of where) = 0;
  /// The time until a line that one PU has written reaches another PU that waits for it, in nanoseconds.
  [[nodiscard]] virtual reading handover_ns(os_index one, os_index other) = 0;
};

/// The system that runs this program. Each reading takes about `seconds_each`, and the time to fill the memory.
[[nodiscard]] std::unique_ptr<measured_hardware> live_hardware(double seconds_each);

}  // namespace nearfork::tools

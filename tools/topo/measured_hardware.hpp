// What `nearfork topo --measure` asks the hardware, one number at a time, behind an interface: tests answer in its place.
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

/// Memory of a node, or wherever the system puts it.
struct memory_of {
  std::optional<os_index> node{};
  std::uint64_t bytes = 0;
};

class measured_hardware {
 public:
  virtual ~measured_hardware() = default;

  /// The clock that a core runs at while it works, by several methods; agreed_clock() judges them.
  [[nodiscard]] virtual clock_readings clocks(os_index pu) = 0;
  /// Nanoseconds for each load of a chain in which each waits for the one before, through lines in random order.
  [[nodiscard]] virtual reading load_ns(os_index pu, memory_of where) = 0;
  /// Loads, stores and arithmetic that a core does in a nanosecond, sweeping over so many bytes.
  [[nodiscard]] virtual reading operations_per_ns(os_index pu, std::uint64_t bytes, loop_kind of) = 0;
  /// Nanoseconds that a branch costs which goes another way than the core guessed.
  [[nodiscard]] virtual reading wrong_guess_ns(os_index pu) = 0;
  /// Nanoseconds for each line of a sweep over rows of one half of the memory, of which as many are written in the other half.
  [[nodiscard]] virtual reading sweep_ns(os_index pu, memory_of where) = 0;
  /// What these PUs read together, in 1e9 bytes a second.
  [[nodiscard]] virtual reading read_gb_per_s(std::span<const os_index> pus, memory_of where) = 0;
  /// Until a line that one PU has written is with another that waits for it, in nanoseconds.
  [[nodiscard]] virtual reading handover_ns(os_index one, os_index other) = 0;
};

/// The system that runs us. Each reading takes about `seconds_each`, and what it takes to fill the memory.
[[nodiscard]] std::unique_ptr<measured_hardware> live_hardware(double seconds_each);

}  // namespace nearfork::tools

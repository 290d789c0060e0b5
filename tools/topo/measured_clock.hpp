// The clock of a core from several readings. One chain of instructions is not enough: cores from Golden Cove on execute
// several chained additions of a constant per cycle, which once looked like a clock of 10 to 13 GHz.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/topo/reading.hpp"

namespace nearfork::tools {

/// The clock by a chain of one instruction, in which each must wait for the last result, if its latency is the
/// documented one.
struct chain_reading {
  std::string_view instruction;
  double ghz = 0;
};

struct clock_readings {
  std::vector<chain_reading> chains{};
  std::optional<double> kernel_ghz{};  // the kernel's number for this core; virtual machines tell a nominal clock
  std::string why{};                   // why there are no readings
};

inline constexpr double least_clock_ghz = 0.3;
inline constexpr double most_clock_ghz = 8;
/// How much faster one chain may seem than another: a multiplication takes 3 cycles on nearly all cores, 4 on some.
inline constexpr double chains_agree_within = 1.5;
/// The largest factor between the kernel's number and ours: a nominal clock of 1.2 GHz and a real one of 4.7 GHz are
/// known.
inline constexpr double kernel_agrees_within = 4;

/// The median of the chains' clocks. No value, with the reason, if the chains or the kernel do not agree with it, or if
/// no core has such a clock.
[[nodiscard]] reading agreed_clock(const clock_readings& of);

}  // namespace nearfork::tools

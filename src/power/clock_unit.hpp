// Cores that can have a clock of their own, together.
//
// A policy may cover the hardware threads of several cores, and a core's hardware threads may have a policy each. A
// unit is the smallest set of cores and policies that no such bond leaves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "power/cpufreq_policy.hpp"

namespace nearfork {

struct clock_unit {
  std::vector<std::uint32_t> cores{};     // indices into the cores that were given
  std::vector<std::uint32_t> policies{};  // indices into the policies
  bool is_shared = false;                 // a policy also covers CPUs of others, which must not lose their normal clock
  std::uint32_t least_khz = 0;
  std::uint32_t normal_khz = 0;
  std::uint32_t most_khz = 0;
  friend bool operator==(const clock_unit&, const clock_unit&) = default;
};

/// The units of cores whose hardware threads have these numbers. A core without a policy is in none of them.
[[nodiscard]] std::vector<clock_unit> clock_units_of(std::span<const cpufreq_policy> policies,
                                                     std::span<const std::vector<unsigned>> cpus_of_core);

}  // namespace nearfork

// Chains of one instruction each, in which each instruction waits for the result of the last one. Their time tells the
// length of a cycle.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace nearfork::tools {

struct instruction_chain {
  std::string_view instruction;
  double cycles;  // latency of one instruction
  /// Executes `chained_at_once * rounds` of the instruction; the result depends on all of them.
  std::uint64_t (*run)(std::uint64_t start, int rounds) noexcept;
};

inline constexpr int chained_at_once = 32;

/// No chain adds a constant or moves a register: renaming may execute those without waiting for anything.
[[nodiscard]] std::span<const instruction_chain> instruction_chains() noexcept;

}  // namespace nearfork::tools

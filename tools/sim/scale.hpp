// `nearfork sim --scale`: the scales that can be chosen, and whether a program suits one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/programs/program.hpp"
#include "tools/sim/simulated_machine.hpp"

namespace nearfork::tools {

/// "1/2", "1/4" and so on.
[[nodiscard]] std::vector<std::string> scale_names();
/// How many lines one stands for; empty: 1. Throws: nearfork::error if there is no such scale.
[[nodiscard]] std::uint32_t scale_called(const std::string& name);
/// "1/16".
[[nodiscard]] std::string scale_text(std::uint32_t lines);

/// How many times as many bytes the program's accesses touch in lines of `line_bytes` as in lines of `least_bytes`.
[[nodiscard]] double scaled_excess(const sim::program& what, std::uint64_t line_bytes, std::uint64_t least_bytes);

/// Throws: nearfork::error if on the scaled machine the program touches so much more than it should that times and
/// misses say nothing.
void check_scale(const sim::program& what, const simulated_machine& where);

}  // namespace nearfork::tools

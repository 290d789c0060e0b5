// The clock of a core by the kernel: a number to check measurements with. It is no measurement.
#pragma once

#include <optional>
#include <string_view>

#include "base/ids.hpp"

namespace nearfork::tools {

/// From cpufreq, else from /proc/cpuinfo. nullopt if the kernel tells none. Virtual machines tell a nominal clock.
[[nodiscard]] std::optional<double> kernel_clock_ghz(os_index pu);

/// The "cpu MHz" of a processor in the text of /proc/cpuinfo.
[[nodiscard]] std::optional<double> cpuinfo_mhz(std::string_view cpuinfo, os_index pu);

}  // namespace nearfork::tools

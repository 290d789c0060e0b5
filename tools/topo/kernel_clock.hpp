// The clock of a core as the kernel tells it: a figure to check measurements by, no measurement.
#pragma once

#include <optional>
#include <string_view>

#include "base/ids.hpp"

namespace nearfork::tools {

/// Of cpufreq, else of /proc/cpuinfo. Nothing where the kernel tells none. Virtual machines tell a nominal clock.
[[nodiscard]] std::optional<double> kernel_clock_ghz(os_index pu);

/// The "cpu MHz" of a processor in the text of /proc/cpuinfo.
[[nodiscard]] std::optional<double> cpuinfo_mhz(std::string_view cpuinfo, os_index pu);

}  // namespace nearfork::tools

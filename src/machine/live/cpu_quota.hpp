// How much processor time the cgroups grant: containers often have many cores in sight and the time of two.
#pragma once

#include <optional>

#include "machine/live/small_file.hpp"

namespace nearfork {

/// The tightest quota on the way from the process's cgroup to the root, in cores' worth of time; cgroup v2 (cpu.max) and v1
/// (cpu.cfs_quota_us). Nothing: none is set.
[[nodiscard]] std::optional<double> cpu_quota(const file_reader& read);
/// Of this process.
[[nodiscard]] std::optional<double> cpu_quota();

}  // namespace nearfork

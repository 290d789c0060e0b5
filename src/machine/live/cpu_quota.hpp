// How much processor time the cgroups grant: containers often see many cores and have the time of two.
#pragma once

#include <optional>

#include "machine/live/small_file.hpp"

namespace nearfork {

/// The smallest quota on the path from the process's cgroup to the root, in cores' worth of time; cgroup v2 (cpu.max)
/// and v1 (cpu.cfs_quota_us). nullopt: no quota is set.
[[nodiscard]] std::optional<double> cpu_quota(const file_reader& read);
/// The quota of this process.
[[nodiscard]] std::optional<double> cpu_quota();

}  // namespace nearfork

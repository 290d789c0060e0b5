#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nearfork::workloads {

/// The memory that this process may still take: the system's free memory, or its cgroup's limit if that is less. The
/// largest number if the system does not say.
[[nodiscard]] std::uint64_t available_memory();

/// MemAvailable of /proc/meminfo, in bytes.
[[nodiscard]] std::optional<std::uint64_t> available_from_meminfo(std::string_view text);

/// "512.0 MiB".
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);

}  // namespace nearfork::workloads

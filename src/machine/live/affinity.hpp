// Which PUs this process may run on: the kernel's answer, and a substitute if a sandbox refuses it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "machine/live/small_file.hpp"
#include "machine/model/machine.hpp"

namespace nearfork {

/// The calling thread's affinity mask. Returns 0 or the errno value.
[[nodiscard]] int read_affinity(std::vector<unsigned long>& mask);

/// The same for a thread of this process by the system's number, 0 for the calling one, into a mask of the size that
/// read_affinity() gave.
[[nodiscard]] int read_affinity_of(int thread, std::vector<unsigned long>& mask) noexcept;
/// 0: the calling thread. Returns 0 or the errno value.
[[nodiscard]] int set_affinity_of(int thread, const std::vector<unsigned long>& mask) noexcept;

/// Sets it to what read_affinity() gave. Returns 0 or the errno value.
[[nodiscard]] int restore_affinity(const std::vector<unsigned long>& mask) noexcept;

/// The PUs that any thread of this process may run on, by /proc/self. `threads`: the names in /proc/self/task. Empty if
/// /proc does not say.
[[nodiscard]] std::vector<os_index> allowed_by_proc(const std::vector<std::string>& threads, const file_reader& read);
[[nodiscard]] std::vector<os_index> allowed_by_proc();

}  // namespace nearfork

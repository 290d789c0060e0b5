// Which PUs this process may run on: the kernel's answer, and what to do where a sandbox refuses to give it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "machine/live/small_file.hpp"
#include "machine/model/machine.hpp"

namespace nearfork {

/// The calling thread's affinity mask. Returns 0 or the errno value.
[[nodiscard]] int read_affinity(std::vector<unsigned long>& mask);

/// The PUs that some thread of this process may run on, as /proc/self says. `threads`: the names in /proc/self/task. Empty where it
/// does not say.
[[nodiscard]] std::vector<os_index> allowed_by_proc(const std::vector<std::string>& threads, const file_reader& read);
[[nodiscard]] std::vector<os_index> allowed_by_proc();

}  // namespace nearfork

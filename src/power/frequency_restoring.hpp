// `nearfork doctor --restore-frequencies`: undoes what a program that was killed has left behind.
#pragma once

#include <string>
#include <vector>

#include "base/files/system_files.hpp"

namespace nearfork {

enum class restoring_state : std::uint8_t {
  nothing,   // no program has left anything behind
  restored,  // all is as it was before that program
  in_use,    // the program runs
  refused
};
[[nodiscard]] const char* name_of(restoring_state state) noexcept;

/// What became of one state file.
struct restoring_result {
  std::string state_file;
  restoring_state state = restoring_state::nothing;
  std::vector<std::string> lines{};  // what was written, or why not
};

/// Looks at each place where this user's state file may be. A second call finds nothing more to restore.
[[nodiscard]] std::vector<restoring_result> restore_frequencies(const system_files& files);

}  // namespace nearfork

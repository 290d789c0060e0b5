// Runs another program to its end, as a shell does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nearfork::tools {

/// How a program ended: normally with a status, or by a signal.
struct program_end {
  int status = 0;
  int signal = 0;                  // 0: it ended normally
  std::uint64_t processor_ns = 0;  // that it took on all cores, with the processes that it waited for
};

/// "ended with status 7", "was ended by signal 9"; continues "the program ".
[[nodiscard]] std::string words_of(const program_end& end);

/// Where the standard output of a program goes: to ours, or to our standard error where ours is for results alone.
enum class program_output : std::uint8_t { to_output, to_error };

/// Runs `words` (found in PATH if the first has no slash) with our streams and our environment, changed by `extra`.
/// What the terminal or another process sends to end us ends the program: we continue, to report how it ended. Throws:
/// nearfork::error if it cannot be started.
[[nodiscard]] program_end run_program(const std::vector<std::string>& words,
                                      const std::vector<std::pair<std::string, std::string>>& extra,
                                      program_output where = program_output::to_output);

/// Ends this process in the same way. Does not return if it was a signal.
void end_by_signal(int signal);

/// Distinguishes states of a file. nullopt: there is no file.
struct file_state {
  std::uint64_t inode;
  std::int64_t changed_ns;
  friend bool operator==(const file_state&, const file_state&) = default;
};
[[nodiscard]] std::optional<file_state> state_of(const std::string& path);

}  // namespace nearfork::tools

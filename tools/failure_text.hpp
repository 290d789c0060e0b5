// The message to the user for an exception that ended a subcommand.
#pragma once

#include <exception>
#include <string>

namespace nearfork::tools {

/// The command line for a message: quoted where a shell needs it, cut if it is long.
[[nodiscard]] std::string command_line_text(int argc, const char* const* argv);

/// A nearfork::error unchanged. Exceptions of libraries or the system in our words, with `command_line` and what to do.
[[nodiscard]] std::string failure_text(const std::exception& failure, const std::string& command_line);

}  // namespace nearfork::tools

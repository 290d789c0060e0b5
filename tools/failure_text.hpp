// What a user is told of an exception that ended a subcommand.
#pragma once

#include <exception>
#include <string>

namespace nearfork::tools {

/// The command line as a message shows it: quoted where a shell would need it, cut where it is long.
[[nodiscard]] std::string command_line_text(int argc, const char* const* argv);

/// nearfork::error as it is; what a library or the system threw in our words, with `command_line` and what to do.
[[nodiscard]] std::string failure_text(const std::exception& failure, const std::string& command_line);

}  // namespace nearfork::tools

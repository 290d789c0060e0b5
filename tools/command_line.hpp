// The whole command: all subcommands, and what is said of a command line that is wrong.
#pragma once

#include "tools/command.hpp"

namespace nearfork::tools {

/// Adds all subcommands.
void add_commands(CLI::App& app);

/// Says what was wrong with a command line, or what was asked for in place of a command (help, version); the exit status.
int end_of_parse(const CLI::App& app, const CLI::ParseError& wrong);

/// What a parse of `app` left over, in words: the first word that nobody knows, which word was meant and which there are. Empty if
/// nothing was left over.
[[nodiscard]] std::string unknown_word(const CLI::App& app);

}  // namespace nearfork::tools

// The whole command: all subcommands, and the messages for a wrong command line.
#pragma once

#include "tools/command.hpp"

namespace nearfork::tools {

/// Adds all subcommands.
void add_commands(CLI::App& app);

/// Prints what was wrong with a command line, or what was requested instead of a command (help, version). Returns the
/// exit status.
int end_of_parse(const CLI::App& app, const CLI::ParseError& wrong);

/// The message for what a parse of `app` left over: the first unknown word, the word that was probably meant, and the
/// known words. Empty if nothing was left over.
[[nodiscard]] std::string unknown_word(const CLI::App& app);

}  // namespace nearfork::tools

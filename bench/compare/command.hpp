// What the commands of bench/compare share.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>

#include "base/output/output_file.hpp"

namespace bench {

/// The main() of a command: parses, then runs. Returns what `run` returns, 0 after help, or 2 for a bad request or an
/// exception of `run`, which is said under the command's `name`.
[[nodiscard]] int run_command(CLI::App& app, int argc, char** argv, const char* name, const std::function<int()>& run);

/// nullopt if no path was given. Called before the contenders run, so that a bad path is refused early. Throws
/// nearfork::error.
[[nodiscard]] std::optional<nearfork::output_file> output_to(const std::string& path, const char* flag);

}  // namespace bench

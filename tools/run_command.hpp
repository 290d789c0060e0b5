// All of the nearfork command. Apart from command_line.hpp: main.cpp includes no library's headers, which take seconds.
#pragma once

namespace nearfork::tools {

/// Runs the command with these words. Returns its exit status.
[[nodiscard]] int run_command(int argc, char** argv) noexcept;

}  // namespace nearfork::tools

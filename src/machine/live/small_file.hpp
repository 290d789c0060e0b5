// Files of /proc and /sys, as text.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace nearfork {

/// Reads a small file as a whole; nullopt if it cannot be read. Tests pass one that knows a few paths.
using file_reader = std::function<std::optional<std::string>(const std::string& path)>;

/// Reads a file of the system that runs this program.
[[nodiscard]] std::optional<std::string> read_small_file(const std::string& path);

}  // namespace nearfork

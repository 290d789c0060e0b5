// Parts of messages that several rooms write.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nearfork {

/// The system's words for an errno value, and its number: "Operation not permitted (errno 1)".
[[nodiscard]] std::string with_number(int error_number);

/// Text from outside as a message shows it: in quotes, cut after `longest` characters, and without what would disturb a terminal.
[[nodiscard]] std::string quoted(std::string_view text, std::size_t longest = 60);

/// "1 package", "2 packages".
[[nodiscard]] std::string counted(std::size_t count, std::string_view noun);

}  // namespace nearfork

// Parts of messages for several rooms.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nearfork {

/// The system's text for an errno value, with its number: "Operation not permitted (errno 1)".
[[nodiscard]] std::string with_number(int error_number);

/// Text from outside, with '?' for each character that could disturb a terminal or break a line.
[[nodiscard]] std::string without_controls(std::string_view text);

/// The same for a message: in quotes, cut after `longest` characters.
[[nodiscard]] std::string quoted(std::string_view text, std::size_t longest = 60);

/// "1 package", "2 packages".
[[nodiscard]] std::string counted(std::size_t count, std::string_view noun);

}  // namespace nearfork

#include "base/text/message_text.hpp"

#include <algorithm>
#include <cstring>

#include "base/text/control_chars.hpp"

namespace nearfork {

std::string with_number(int error_number) {
  return std::string(std::strerror(error_number)) + " (errno " + std::to_string(error_number) + ")";
}

std::string without_controls(std::string_view text) {
  std::string shown(text);
  std::ranges::replace_if(shown, is_control, '?');
  return shown;
}

std::string quoted(std::string_view text, std::size_t longest) {
  return '"' + without_controls(text.substr(0, longest)) + (text.size() > longest ? "...\"" : "\"");
}

std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace nearfork

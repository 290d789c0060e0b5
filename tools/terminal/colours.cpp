#include "tools/terminal/colours.hpp"

#include <cstdlib>
#include <string_view>

#include "tools/terminal/terminals.hpp"

namespace nearfork::tools {
namespace {

bool has_colours(bool is_terminal) {
  return colours_wanted(is_terminal, std::getenv("NO_COLOR"), std::getenv("TERM"));
}

const char* code_of(colour how) noexcept {
  switch (how) {
    case colour::bold: return "1";
    case colour::red: return "1;31";
    case colour::green: return "32";
    case colour::yellow: return "33";
  }
  return "0";
}

}  // namespace

bool colours_wanted(bool is_terminal, const char* no_color, const char* term) noexcept {
  const bool refused = no_color != nullptr && *no_color != '\0';  // https://no-color.org
  return is_terminal && !refused && term != nullptr && std::string_view(term) != "dumb";
}

bool stdout_has_colours() {
  return has_colours(stdout_is_terminal());
}
bool stderr_has_colours() {
  return has_colours(stderr_is_terminal());
}

std::string painted(colour how, const std::string& text, bool has_colours) {
  if (!has_colours || text.empty()) return text;
  return std::string("\033[") + code_of(how) + "m" + text + "\033[0m";
}

}  // namespace nearfork::tools

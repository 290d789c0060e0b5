#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "tools/terminal/terminals.hpp"

namespace nearfork::tools {

bool stdout_is_terminal() {
  return isatty(STDOUT_FILENO) == 1;
}

bool stderr_is_terminal() {
  return isatty(STDERR_FILENO) == 1;
}

bool stderr_can_rewrite() {
  const char* const name = std::getenv("TERM");
  return stderr_is_terminal() && (name == nullptr || std::string_view(name) != "dumb");
}

std::size_t stderr_columns() {
  constexpr std::size_t usual = 80;
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual;
}

}  // namespace nearfork::tools

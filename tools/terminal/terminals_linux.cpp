#include <unistd.h>

#include "tools/terminal/terminals.hpp"

namespace nearfork::tools {

bool stdout_is_terminal() {
  return isatty(STDOUT_FILENO) == 1;
}

bool stderr_is_terminal() {
  return isatty(STDERR_FILENO) == 1;
}

}  // namespace nearfork::tools

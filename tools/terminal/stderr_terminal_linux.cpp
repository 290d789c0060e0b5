#include <unistd.h>

#include "tools/terminal/stderr_terminal.hpp"

namespace nearfork::tools {

bool stderr_is_terminal() {
  return isatty(STDERR_FILENO) == 1;
}

}  // namespace nearfork::tools

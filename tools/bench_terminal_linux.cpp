#include <unistd.h>

#include "tools/bench_terminal.hpp"

namespace nearfork::tools {

bool stderr_is_terminal() {
  return isatty(STDERR_FILENO) == 1;
}

}  // namespace nearfork::tools

#include "base/process_number.hpp"

#include <unistd.h>

namespace nearfork {

int process_number() noexcept {
  return static_cast<int>(::getpid());
}

}  // namespace nearfork

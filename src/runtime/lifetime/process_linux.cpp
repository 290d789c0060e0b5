#include "runtime/lifetime/process.hpp"

#include <unistd.h>

namespace nearfork {

int process_number() noexcept {
  return static_cast<int>(::getpid());
}

}  // namespace nearfork

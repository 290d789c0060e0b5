#include "base/files/descriptor.hpp"

#include <unistd.h>

#include <cerrno>

namespace nearfork {

int descriptor::close_checked() noexcept {
  const int number = std::exchange(number_, -1);
  return number < 0 || ::close(number) == 0 ? 0 : errno;
}

}  // namespace nearfork

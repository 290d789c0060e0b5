#include <sched.h>

#include <cerrno>

#include "machine/pinning.hpp"

namespace nearfork {

int pin_this_thread(os_index where) noexcept {
  const unsigned number = number_of(where);
  cpu_set_t* const set = CPU_ALLOC(number + 1);
  if (set == nullptr) return ENOMEM;
  const std::size_t bytes = CPU_ALLOC_SIZE(number + 1);
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(number, bytes, set);
  const int result = ::sched_setaffinity(0, bytes, set) == 0 ? 0 : errno;
  CPU_FREE(set);
  return result;
}

}  // namespace nearfork

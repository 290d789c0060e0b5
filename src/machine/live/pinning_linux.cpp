#include <pthread.h>
#include <sched.h>

#include <cerrno>
#include <cstddef>

#include "machine/live/pinning.hpp"

#include "machine/live/mask_words.hpp"

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

bool has_lost_its_pin(std::thread& bound, os_index where) noexcept {
  cpu_set_t* const set = CPU_ALLOC(most_pus);
  if (set == nullptr) return false;
  const std::size_t bytes = CPU_ALLOC_SIZE(most_pus);
  const bool known = ::pthread_getaffinity_np(bound.native_handle(), bytes, set) == 0;
  const bool kept = known && CPU_COUNT_S(bytes, set) == 1 && CPU_ISSET_S(number_of(where), bytes, set) != 0;
  CPU_FREE(set);
  return known && !kept;
}

}  // namespace nearfork

#include "numa_lab/kernel_view/thread_place.hpp"

#include <sched.h>

#include <cerrno>
#include <system_error>

namespace nearfork::lab {

thread_place place_of_this_thread() {
  thread_place found;
  if (::getcpu(&found.pu, &found.node) != 0) throw std::system_error(errno, std::generic_category(), "getcpu");
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0)
    throw std::system_error(errno, std::generic_category(), "sched_getaffinity");
  for (unsigned pu = 0; pu < CPU_SETSIZE; ++pu)
    if (CPU_ISSET(pu, &set)) found.allowed_pus.push_back(pu);
  return found;
}

}  // namespace nearfork::lab

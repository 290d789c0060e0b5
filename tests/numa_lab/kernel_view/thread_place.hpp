// Where the calling thread is, as the kernel says, independent of our own book-keeping, which the lab checks.
#pragma once

#include <vector>

namespace nearfork::lab {

struct thread_place {
  unsigned pu = 0;                    // now, by getcpu()
  unsigned node = 0;                  // of that PU
  std::vector<unsigned> allowed_pus;  // by sched_getaffinity()
};

/// Throws std::system_error if the kernel does not say.
[[nodiscard]] thread_place place_of_this_thread();

}  // namespace nearfork::lab

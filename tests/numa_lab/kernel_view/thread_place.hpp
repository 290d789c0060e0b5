// Where the kernel says that the calling thread is: beside our own book-keeping, which is what the lab checks.
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

#include <pthread.h>

#include <string>

#include <nearfork/error.hpp>

#include "memory/node_pools_threads.hpp"

namespace nearfork::pool_threads {

void watch_forks() {
  if (const int failed = ::pthread_atfork(before_fork, after_fork, after_fork); failed != 0)
    throw error("per-node pools: pthread_atfork failed (errno " + std::to_string(failed) +
                "), and without it a forked child could hang: free some memory and start again");
}

}  // namespace nearfork::pool_threads

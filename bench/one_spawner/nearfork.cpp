#include <nearfork/nearfork.hpp>

#include "bench/one_spawner/one_spawner.hpp"

void one_spawner::solve(std::uint64_t count, std::atomic<std::uint64_t>* sums) {
  nearfork::task_group group;
  for (std::uint64_t i = 0; i < count; ++i)
    group.spawn([=] { sums[i % 64].fetch_add(work(i), std::memory_order_relaxed); });
  group.sync();
}

// A plugin that has nearfork in it. Built twice, with NAME first_sum and second_sum.
#include <atomic>
#include <functional>
#include <span>
#include <stdexcept>

#include <nearfork/nearfork.hpp>

/// A runtime begins and ends while dlopen() holds the dynamic linker's lock, as one that a plugin has may in dlclose().
static const struct in_dlopen {
  in_dlopen() { const nearfork::runtime without_tasks; }
} while_loading;

/// Calls `in_task` in a few tasks. Types that the plugins have in common, such as std::function, are meant.
extern "C" long NAME(void (*in_task)()) {
  std::atomic<long> sum{0};
  nearfork::parallel_for(0, 200, [&](int i) {
    sum += i;
    if (in_task != nullptr && i % 50 == 0) in_task();
  });
  const std::function<void()> add = [&] { ++sum; };
  nearfork::task_group group;
  for (int i = 0; i < 30; ++i) group.spawn(add);
  group.sync();
  long updated = 0;
  const std::function<void()> update = [&] { ++updated; };
  const std::function<void(nearfork::nested_tasks&)> nest = [&](nearfork::nested_tasks& inner) {
    inner.task({nearfork::inout(updated)}, update);
  };
  nearfork::dataflow graph;
  for (int i = 0; i < 50; ++i) graph.task({nearfork::inout(updated)}, update);
  graph.task({nearfork::reduction(updated, std::plus<>())}, [](std::span<long> mine) { mine[0] += 5; });
  graph.task({nearfork::weak_inout(updated)}, nest);
  graph.sync();
  const std::function<long()> seven = [] { return 7; };
  sum += nearfork::async(seven).get();
  try {
    nearfork::fork_join([] { throw std::runtime_error("caught"); }, add);
  } catch (const std::runtime_error&) {
    sum += 100;
  }
  return sum - sum % 10 + updated;  // the second child of the last fork may have been skipped
}

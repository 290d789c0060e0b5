#include <nearfork/nearfork.hpp>

#include "bench/styles/plain/plain.hpp"

std::uint64_t styles::solve(unsigned n) {
  if (n < 2) return n;
  std::uint64_t a = 0, b = 0;
  nearfork::task_group group;
  group.spawn([&] { a = solve(n - 1); });
  group.spawn([&] { b = solve(n - 2); });
  group.sync();
  return a + b;
}

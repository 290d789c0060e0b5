#include <nearfork/nearfork.hpp>

#include "bench/styles/struct_64/struct_64.hpp"

std::uint64_t styles::solve(block given, unsigned n) {
  if (n < 2) return given.values[n];
  const auto [a, b] = nearfork::fork_join([given, n] { return solve(given, n - 1); },  //
                                          [given, n] { return solve(given, n - 2); });
  return a + b;
}

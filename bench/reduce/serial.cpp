#include "bench/reduce/reduce.hpp"

std::uint64_t reduce::solve(std::uint64_t count) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) sum += body(i);
  return sum;
}

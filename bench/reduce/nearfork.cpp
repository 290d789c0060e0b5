#include <nearfork/nearfork.hpp>

#include "bench/reduce/reduce.hpp"

std::uint64_t reduce::solve(std::uint64_t count) {
  return nearfork::parallel_reduce(
      std::uint64_t{0}, count, std::uint64_t{0}, [](std::uint64_t i) { return body(i); },
      [](std::uint64_t a, std::uint64_t b) { return a + b; });
}

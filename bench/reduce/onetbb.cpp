#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>

#include <functional>

#include "bench/reduce/reduce.hpp"

std::uint64_t reduce::solve(std::uint64_t count) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::uint64_t>(0, count), std::uint64_t{0},
      [](const tbb::blocked_range<std::uint64_t>& piece, std::uint64_t sum) {
        for (std::uint64_t i = piece.begin(); i != piece.end(); ++i) sum += body(i);
        return sum;
      },
      std::plus<>{});
}

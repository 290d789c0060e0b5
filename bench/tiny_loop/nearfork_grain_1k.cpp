#include <nearfork/nearfork.hpp>

#include "bench/tiny_loop/tiny_loop.hpp"

void tiny_loop::solve(numbers& out) {
  nearfork::parallel_for(std::size_t{0}, out.size(), [&](std::size_t i) { out[i] = body(i); }, {.grain = 1024});
}

#include "bench/harness/problem.hpp"

void bench::inside(unsigned /*workers*/, const std::function<void()>& work) {
  work();
}

// expect: static.*each leaf of a parallel_reduce begins with a copy of the identity
#include <memory>

#include <nearfork/parallel_reduce.hpp>

std::unique_ptr<int> wrong() {
  return nearfork::parallel_reduce(
      0, 10, std::unique_ptr<int>(), [](int i) { return std::make_unique<int>(i); },
      [](std::unique_ptr<int> a, std::unique_ptr<int>) { return a; });
}

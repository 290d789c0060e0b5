// expect: static.*the callable may run on another stack, and its result is moved to the caller
#include <atomic>

#include <nearfork/nearfork.hpp>

// A result is made on a worker's stack, so it cannot be made in the caller's frame.
int wrong() {
  return nearfork::run([] { return std::atomic<int>(1); }).load();
}

// Styles of fork_join.
#include <nearfork/nearfork.hpp>

#include <alloca.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "program.hpp"

namespace {

using namespace programs;
using nearfork::fork_join;

void nap() {
  std::this_thread::sleep_for(std::chrono::microseconds(300));
}

long fib(int n) {
  if (n < 2) return n;
  auto [a, b] = fork_join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}
const program by_value("fib_by_value", [] { expect_equal(fib(20), 6765, "fib(20)"); });

void fib_into(int n, long& result) {
  if (n < 2) {
    result = n;
    return;
  }
  long a = 0;
  long b = 0;
  fork_join([&] { fib_into(n - 1, a); }, [&] { fib_into(n - 2, b); });
  result = a + b;
}
const program by_reference("fib_by_reference", [] {
  long result = 0;
  fib_into(19, result);
  expect_equal(result, 4181, "fib(19)");
});

void fill(int* first, int* last, int from) {
  if (last - first <= 8) return std::iota(first, last, from);
  int* const middle = first + (last - first) / 2;
  fork_join([&] { fill(first, middle, from); }, [&] { fill(middle, last, from + static_cast<int>(middle - first)); });
}
const program void_children("void_children", [] {
  std::vector<int> all(20000);
  nearfork::run([&] { fill(all.data(), all.data() + all.size(), 0); });
  for (std::size_t i = 0; i < all.size(); ++i) expect_equal(all[i], static_cast<int>(i), "an element");
});

std::string spell(int depth) {
  if (depth == 0) {
    nap();
    return "a string that is too long for the small buffer; ";
  }
  auto [a, b, nothing, c, length] =
      fork_join([=] { return spell(depth - 1); }, [=] { return spell(depth - 1); }, [] { nap(); },
                [=] { return std::to_string(depth); }, [=] { return std::make_unique<int>(depth); });
  static_cast<void>(nothing);
  return a + c + b + std::string(static_cast<std::size_t>(*length), '.');
}
const program five_children("five_children", [] {
  const std::string text = spell(5);
  expect_equal(std::count(text.begin(), text.end(), ';'), 32, "32 leaves");
});

std::vector<int> sorted(const std::vector<int>& from) {
  if (from.size() < 32) {
    std::vector<int> small = from;
    std::sort(small.begin(), small.end());
    return small;
  }
  const auto middle = from.begin() + static_cast<std::ptrdiff_t>(from.size() / 2);
  auto [a, b] = fork_join([&] { return sorted({from.begin(), middle}); }, [&] { return sorted({middle, from.end()}); });
  std::vector<int> all(from.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), all.begin());
  return all;
}
const program vectors("vectors_as_results", [] {
  std::vector<int> numbers(30000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i * 7919 % 30011);
  const std::vector<int> result = nearfork::run([&] { return sorted(numbers); });
  expect(std::is_sorted(result.begin(), result.end()) && result.size() == numbers.size(), "sorted");
});

/// A list-shaped tree: each level keeps its frame, and its other child may be on any worker.
long descend(int depth) {
  char frame[200];
  std::memset(frame, depth & 0x3f, sizeof frame);
  if (depth == 0) return 0;
  auto [below, beside] = fork_join([&] { return descend(depth - 1); }, [&] { return long{frame[100]}; });
  expect_equal(frame[150], static_cast<char>(depth & 0x3f), "a frame's own bytes");
  return below + 1 + beside - beside;
}
const program deep("deep_recursion", [] { expect_equal(descend(3000), 3000, "the depth"); });

long large(int depth) {
  char fixed[20000];
  auto* const variable = static_cast<char*>(alloca(1000 + 100 * static_cast<std::size_t>(depth)));
  std::memset(fixed, depth, sizeof fixed);
  std::memset(variable, depth + 1, 1000);
  if (depth == 0) {
    nap();
    return 1;
  }
  auto [a, b] = fork_join([&] { return large(depth - 1) * (fixed[0] == depth); },
                          [&] { return large(depth - 1) * (variable[999] == depth + 1); });
  return a + b + (fixed[19999] - depth);
}
const program large_frames("large_frames", [] { expect_equal(large(7), 128, "128 leaves"); });

/// Leaves sleep, so that joins wait, suspend, and go on with other threads.
long sleepy(int depth) {
  int here[32];
  std::iota(here, here + 32, depth);
  if (depth == 0) {
    nap();
    return 1;
  }
  auto [a, b] = fork_join([&] { return sleepy(depth - 1) + here[0] - depth; },
                          [&] { return sleepy(depth - 1) + here[31] - depth - 31; });
  return a + b;
}
const program blocked("blocked_joins", [] {
  for (int round = 0; round < 5; ++round) expect_equal(sleepy(7), 128, "128 leaves");
});

/// All fibers that a thread runs touch the thread's own count.
thread_local long touched = 0;
long count_leaves(int depth) {
  ++touched;
  if (depth == 0) {
    nap();
    ++touched;
    return 1;
  }
  auto [a, b] = fork_join([=] { return count_leaves(depth - 1); }, [=] { return count_leaves(depth - 1); });
  return a + b;
}
const program locals_of_threads("locals_of_threads", [] { expect_equal(count_leaves(8), 256, "256 leaves"); });

struct guard {
  explicit guard(std::atomic<int>& count) : alive(count) { ++alive; }
  ~guard() { --alive; }
  std::atomic<int>& alive;
};
long failing(int depth, int& bad, std::atomic<int>& alive) {
  const guard here(alive);
  char frame[300];
  std::memset(frame, depth, sizeof frame);
  if (depth == 0) {
    if (++bad % 3 == 0) throw std::runtime_error(std::string("leaf failed, as told, at length: ") + frame[0]);
    nap();
    return 1;
  }
  try {
    int left = depth;
    int right = depth + 1;
    auto [a, b] =
        fork_join([&] { return failing(depth - 1, left, alive); }, [&] { return failing(depth - 1, right, alive); });
    return a + b + frame[299] - depth;
  } catch (const std::runtime_error& error) {
    if (depth % 2 == 0) return std::strstr(error.what(), "as told") != nullptr ? 1 : -1000;
    throw;
  }
}
const program exceptions("exceptions_through_joins", [] {
  std::atomic<int> alive{0};
  for (int round = 0; round < 20; ++round) {
    int seed = round;
    expect(nearfork::run([&] { return failing(6, seed, alive); }) > 0, "some leaves");
  }
  expect_equal(alive.load(), 0, "frames that are left");
});

const program ends_badly("ends_by_exception", [] {
  try {
    fork_join([] { expect_equal(sleepy(4), 16, "16 leaves"); },
              [] {
                nap();
                throw std::logic_error("the program's end");
              });
  } catch (const std::logic_error&) {
    std::exit(0);
  }
  std::exit(3);
});

}  // namespace

// Loops that a program calls again and again: what the library has seen of them may change how they are called, but not
// what they do.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <random>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::test::with_workers;

class loops_again : public testing::TestWithParam<unsigned> {
 protected:
  nearfork::runtime runtime_{with_workers(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(workers, loops_again, testing::Values(1U, 2U, 4U));

/// Quick ones mostly, and in some rounds a few that take a hundred times as long as all others together.
TEST_P(loops_again, call_each_body_once_whichever_are_slow) {
  std::mt19937 random(7);
  for (const std::size_t count : {std::size_t{150}, std::size_t{600}, std::size_t{5000}}) {
    std::vector<std::atomic<int>> visits(count);
    for (int round = 1; round <= 300; ++round) {
      const std::size_t slow = round % 10 == 0 ? random() % count : count;
      runtime_.run([&] {
        nearfork::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
          if (i == slow || i + 1 == slow) std::this_thread::sleep_for(std::chrono::microseconds(300));
          visits[i].fetch_add(1, std::memory_order_relaxed);
        });
      });
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(visits[i].load(), round) << i << " of " << count;
    }
  }
}

/// Two loops over the same data that take some microseconds each, so that the trial tries them in all ways.
TEST_P(loops_again, see_what_the_one_before_has_written) {
  constexpr std::size_t count = 3000;
  std::vector<long> left(count, 1);
  std::vector<long> right(count, 0);
  runtime_.run([&] {
    for (long round = 1; round <= 1000; ++round) {
      nearfork::parallel_for(std::size_t{0}, count, [&](std::size_t i) { right[i] = left[count - 1 - i] + 1; });
      nearfork::parallel_for(std::size_t{0}, count, [&](std::size_t i) { left[i] = right[count - 1 - i] + 1; });
    }
  });
  EXPECT_EQ(std::ranges::count(left, 2001), std::ptrdiff_t{count});
}

/// The machine may be busy: then a body looks slow. So the fewest pieces count, of loops that two workers ran.
TEST(quick_loops_again, call_many_bodies_in_few_pieces) {
  if (nearfork::test::sanitized) GTEST_SKIP() << "a sanitizer makes bodies slow";
  nearfork::runtime runtime(with_workers(2));
  struct alignas(64) calls_of_a_worker {
    std::size_t pieces;
  };
  std::size_t fewest = 1000;
  std::vector<double> data(2000, 1.0);
  runtime.run([&] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (fewest > 16 && std::chrono::steady_clock::now() < end) {
      std::vector<calls_of_a_worker> calls(2);
      nearfork::parallel_for_range(std::size_t{0}, data.size(), [&](std::size_t lo, std::size_t hi) {
        ++calls[nearfork::this_worker::index()].pieces;
        for (std::size_t i = lo; i < hi; ++i) data[i] = 0.5 / (data[i] + 0.5);
      });
      if (calls[0].pieces > 0 && calls[1].pieces > 0) fewest = std::min(fewest, calls[0].pieces + calls[1].pieces);
    }
  });
  EXPECT_LE(fewest, 16U);
}

}  // namespace

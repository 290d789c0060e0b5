// Loops that their worker calls alone: short ones inside others, of one leaf, or of one body. Nobody else has a part of
// them, so the library leaves out what it needs for that; the program must not see it.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::parallel_for;
using nearfork::parallel_reduce;
using nearfork::test::with_workers;

/// Until loops that are like each other have been tried as usual and alone, and go on with what was faster.
constexpr int rounds = 600;

class lone_loops : public testing::TestWithParam<unsigned> {
 protected:
  nearfork::runtime runtime_{with_workers(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(workers, lone_loops, testing::Values(1U, 2U, 3U, 5U, 9U));

TEST_P(lone_loops, call_each_body_once) {
  for (const std::size_t count : {1U, 2U, 3U, 7U, 16U, 17U, 70U}) {
    std::vector<std::atomic<int>> calls(rounds * count);
    runtime_.run([&] {
      parallel_for(0, rounds, [&](int round) {
        std::atomic<int>* const mine = &calls[static_cast<std::size_t>(round) * count];
        parallel_for(std::size_t{0}, count, [mine](std::size_t i) { ++mine[i]; }, {.grain = count});
        parallel_for(std::size_t{0}, count, [mine](std::size_t i) { ++mine[i]; });
        parallel_for(std::size_t{0}, count, [mine](std::size_t i) { ++mine[i]; }, {.grain = 5});
      });
    });
    for (const auto& each : calls) ASSERT_EQ(each.load(), 3) << count;
  }
}

TEST_P(lone_loops, of_one_leaf_call_a_body_of_ranges_once) {
  std::atomic<int> calls{0};
  runtime_.run([&] {
    for (const std::size_t count : {1U, 2U, 9U, 100U})
      nearfork::parallel_for_range(std::size_t{0}, count,
                                   [&](std::size_t lo, std::size_t hi) {
                                     EXPECT_EQ(hi - lo, count);
                                     ++calls;
                                   },
                                   {.grain = count});
  });
  EXPECT_EQ(calls.load(), 4);
}

// What a body throws leaves its own loop alone: the loop around it goes on if it catches that.
TEST_P(lone_loops, pass_exceptions_on) {
  for (const std::size_t grain : {std::size_t{0}, std::size_t{40}}) {
    std::atomic<int> caught{0}, wrong{0};
    runtime_.run([&] {
      parallel_for(0, rounds, [&](int round) {
        const auto throws_here = [round](int i) { return round % 3 == 0 && i == round % 40; };
        try {
          parallel_for(0, 40, [&](int i) { return throws_here(i) ? throw std::out_of_range("loop") : void(); },
                       {.grain = grain});
          if (round % 3 == 0) ++wrong;
        } catch (const std::out_of_range&) {
          ++caught;
        }
        try {
          const int sum =
              parallel_reduce(0, 40, 0, [&](int i) { return throws_here(i) ? throw std::length_error("fold") : i; },
                              std::plus<>(), {.grain = grain});
          if (round % 3 == 0 || sum != 780) ++wrong;
        } catch (const std::length_error&) {
          ++caught;
        }
      });
    });
    EXPECT_EQ(caught.load(), 2 * rounds / 3);
    EXPECT_EQ(wrong.load(), 0);
  }
}

// What is around a loop is cancelled by one of its bodies: the loop ends soon, although it looks at times only.
TEST_P(lone_loops, end_when_what_is_around_them_is_cancelled) {
  for (const std::size_t grain : {std::size_t{0}, std::size_t{1000}}) {
    nearfork::cancellation_source stop;
    std::atomic<int> begun{0}, ended{0};
    runtime_.run([&] {
      const auto quick = [&](int round) {
        parallel_for(0, 1000,
                     [&](int i) {
                       if (round != rounds - 1) return;
                       if (++begun > 10) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                       if (i == 4) stop.cancel();
                     },
                     {.grain = grain});
        ++ended;
      };
      // One leaf: the rounds follow one another.
      parallel_for(0, rounds, quick, {.grain = rounds, .cancel = stop.token()});
    });
    EXPECT_TRUE(stop.cancelled());
    EXPECT_EQ(ended.load(), rounds - 1);
    EXPECT_LT(begun.load(), 500);
  }
}

// A destructor may loop while an exception or a cancellation unwinds its frame: nothing around it cancels that.
TEST_P(lone_loops, in_destructors_run_to_their_end) {
  std::atomic<int> calls{0}, folds{0};
  struct cleaner {
    std::atomic<int>& calls;
    std::atomic<int>& folds;
    ~cleaner() {
      parallel_for(0, 10, [this](int) { ++calls; }, {.grain = 10});
      parallel_for(0, 10, [this](int) { ++calls; });
      folds += parallel_reduce(0, 10, 0, [](int i) { return i; }, std::plus<>(), {.grain = 10});
    }
  };
  constexpr int times = 200;
  for (int n = 0; n < times; ++n) {
    nearfork::cancellation_source stop;
    runtime_.run([&] {
      parallel_for(0, 8,
                   [&](int i) {
                     const cleaner at_end{calls, folds};
                     if (i == n % 8) stop.cancel();
                     nearfork::fork_join([] {}, [] {});
                     parallel_for(0, 3, [](int) {});
                   },
                   {.grain = 8, .cancel = stop.token()});
    });
    EXPECT_THROW(runtime_.run([&] {
      const cleaner at_end{calls, folds};
      parallel_for(0, 8, [](int i) { return i == 5 ? throw std::runtime_error("5") : void(); });
    }),
                 std::runtime_error);
  }
  EXPECT_EQ(folds.load() % 45, 0);
  EXPECT_GE(folds.load(), 45 * 2 * times);
  EXPECT_EQ(calls.load(), folds.load() / 45 * 20);
}

// The tree of a fold, and so each bit, does not depend on whether others took a part in the middle of it.
TEST_P(lone_loops, folds_keep_their_bits) {
  constexpr std::size_t count = 300;
  const auto value = [](std::size_t i) { return 1.0 / static_cast<double>(i + 1); };
  const double expected =
      runtime_.run([&] { return parallel_reduce(std::size_t{0}, count, 0.0, value, std::plus<>(), {.grain = 1}); });
  std::atomic<int> differ{0};
  runtime_.run([&] {
    for (int round = 0; round < 20; ++round) {
      parallel_for(0, rounds / 10, [&](int inner) {
        const auto map = [&](std::size_t i) {
          if (inner == 40 && i % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
          return value(i);
        };
        if (parallel_reduce(std::size_t{0}, count, 0.0, map, std::plus<>()) != expected) ++differ;
      });
    }
  });
  EXPECT_EQ(differ.load(), 0);
}

}  // namespace

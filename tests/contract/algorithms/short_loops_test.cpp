// Loops over few elements, and over tiles: how often the library calls what the program gave it, and that the results
// of folds and scans stay those of the documented trees. A count in place of a time: nearfork measured no cost here
// while a loop over 100 x 100 cells made 1024 calls, and took 25 times as long as the two plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::blocked_range;
using nearfork::blocked_range2d;
using nearfork::blocked_range3d;
using nearfork::test::with_workers;

class short_loops : public testing::TestWithParam<unsigned> {
 protected:
  nearfork::runtime runtime_{with_workers(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(workers, short_loops, testing::Values(1U, 4U));

TEST_P(short_loops, quick_bodies_get_many_tiles_as_one) {
  constexpr std::size_t side = 100;
  std::size_t fewest = side * side;
  for (int n = 0; n < 50; ++n) {  // the machine may be busy: then a body looks slow
    std::vector<std::atomic<int>> visits(side * side);
    std::atomic<std::size_t> calls{0};
    runtime_.run([&] {
      nearfork::parallel_for(blocked_range2d<std::size_t>(0, side, 0, side), [&](const auto& tile) {
        calls.fetch_add(1, std::memory_order_relaxed);
        for (std::size_t i = tile.rows().begin(); i != tile.rows().end(); ++i)
          for (std::size_t j = tile.cols().begin(); j != tile.cols().end(); ++j)
            visits[i * side + j].fetch_add(1, std::memory_order_relaxed);
      });
    });
    for (const auto& each : visits) ASSERT_EQ(each.load(), 1);
    fewest = std::min(fewest, calls.load());
  }
  EXPECT_TRUE(fewest < 512 || nearfork::test::sanitized) << fewest;  // a sanitizer makes bodies slow
}

TEST_P(short_loops, tiles_with_a_grain_are_never_joined) {
  std::atomic<std::size_t> calls{0};
  runtime_.run([&] {
    nearfork::parallel_for(blocked_range2d<int>(0, 64, 4, 0, 64, 0), [&](const auto& tile) {
      calls.fetch_add(1, std::memory_order_relaxed);
      ASSERT_LE(tile.rows().size(), 4U);
    });
    nearfork::parallel_for(blocked_range3d<int>(0, 8, 1, 0, 8, 1, 0, 8, 1),
                           [&](const auto& tile) { ASSERT_EQ(tile.rows().size() * tile.cols().size(), 1U); });
  });
  EXPECT_GE(calls.load(), 16U);
}

TEST_P(short_loops, odd_shapes_of_tiles_cover_each_cell_once) {
  for (const int pages : {1, 3, 17})
    for (const int rows : {1, 5, 97})
      for (const int cols : {1, 7, 130}) {
        std::vector<std::atomic<int>> visits(std::size_t{1} * static_cast<unsigned>(pages) *
                                             static_cast<unsigned>(rows) * static_cast<unsigned>(cols));
        const auto index_of = [&](int h, int i, int j) -> std::size_t {
          const int index = (h * rows + i) * cols + j;
          return static_cast<std::size_t>(index);
        };
        runtime_.run([&] {
          nearfork::parallel_for(blocked_range3d<int>(0, pages, 0, rows, 0, cols), [&](const auto& tile) {
            for (int h = tile.pages().begin(); h != tile.pages().end(); ++h)
              for (int i = tile.rows().begin(); i != tile.rows().end(); ++i)
                for (int j = tile.cols().begin(); j != tile.cols().end(); ++j) ++visits[index_of(h, i, j)];
          });
        });
        for (const auto& each : visits) ASSERT_EQ(each.load(), 1) << pages << ' ' << rows << ' ' << cols;
      }
}

/// A body may take `auto&`, which is then const: the concept of the loop accepts it.
TEST_P(short_loops, bodies_take_tiles_by_any_reference) {
  std::atomic<std::size_t> cells{0};
  runtime_.run([&] {
    nearfork::parallel_for(blocked_range2d<int>(0, 10, 0, 10),
                           [&](auto& tile) { cells += tile.rows().size() * tile.cols().size(); });
    nearfork::parallel_for(blocked_range2d<int>(0, 10, 0, 10),
                           [&](auto tile) { cells += tile.rows().size() * tile.cols().size(); });
    nearfork::parallel_for(blocked_range<int>(0, 100), [&](auto& piece) { cells += piece.size(); });
    cells += nearfork::parallel_reduce(
        blocked_range2d<int>(0, 10, 0, 10), std::size_t{0},
        [](auto& tile, std::size_t so_far) { return so_far + tile.rows().size() * tile.cols().size(); }, std::plus<>());
    cells += nearfork::parallel_reduce(
        blocked_range<int>(0, 100), std::size_t{0},
        [](auto& piece, std::size_t so_far) { return so_far + piece.size(); }, std::plus<>());
  });
  EXPECT_EQ(cells.load(), 500U);
}

/// The tree that the pages promise: halves down to the grain, and the leaves from left to right.
std::string tree(std::size_t lo, std::size_t hi, std::size_t grain, const std::string& start) {
  if (hi - lo > grain) {
    const std::size_t middle = lo + (hi - lo) / 2;
    return std::string("(").append(tree(lo, middle, grain, start)).append(tree(middle, hi, grain, start)).append(")");
  }
  std::string folded = start;
  for (; lo != hi; ++lo) folded = folded.empty() ? std::to_string(lo) : "(" + folded + std::to_string(lo) + ")";
  return folded;
}

TEST_P(short_loops, folds_keep_the_tree) {
  const auto join = [](const std::string& a, const std::string& b) {
    return std::string("(").append(a).append(b).append(")");
  };
  const auto text = [](std::size_t i) { return std::to_string(i); };
  for (const std::size_t count : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 31U, 100U, 1000U, 1024U, 1025U, 5000U}) {
    const std::size_t grain = (count + 127) / 128;  // strings have fewer leaves than numbers
    runtime_.run([&] {
      ASSERT_EQ(nearfork::parallel_reduce(std::size_t{0}, count, std::string("_"), text, join),
                tree(0, count, grain, "_"));
      ASSERT_EQ(nearfork::parallel_reduce(std::size_t{0}, count, text, join), tree(0, count, grain, ""));
      ASSERT_EQ(nearfork::parallel_reduce(std::size_t{0}, count, std::string("_"), text, join, {.grain = 3}),
                tree(0, count, 3, "_"));
    });
  }
}

/// The same for values that are trivial to copy, with an operation that tells how they were joined.
std::uint64_t joined(std::uint64_t a, std::uint64_t b) {
  return (a * 0x9e3779b97f4a7c15U) ^ (b + 0x2545f4914f6cdd1dU + (a >> 29));
}
std::uint64_t tree_of_numbers(std::size_t lo, std::size_t hi, std::size_t grain) {
  if (hi - lo > grain) {
    const std::size_t middle = lo + (hi - lo) / 2;
    return joined(tree_of_numbers(lo, middle, grain), tree_of_numbers(middle, hi, grain));
  }
  std::uint64_t folded = 7;
  for (; lo != hi; ++lo) folded = joined(folded, lo);
  return folded;
}

TEST_P(short_loops, folds_of_numbers_keep_a_finer_tree) {
  for (const std::size_t count : {1U, 2U, 3U, 5U, 31U, 1000U, 1024U, 1025U, 5000U, 100'000U}) {
    const std::uint64_t folded = runtime_.run([&] {
      return nearfork::parallel_reduce(
          std::size_t{0}, count, std::uint64_t{7}, [](std::size_t i) { return std::uint64_t{i}; }, joined);
    });
    EXPECT_EQ(folded, tree_of_numbers(0, count, (count + 1023) / 1024)) << count;
  }
}

TEST_P(short_loops, folds_without_identity_move_values) {
  const auto sum = runtime_.run([] {
    return nearfork::parallel_reduce(
        0, 3000, [](int i) { return std::make_unique<int>(i); },
        [](std::unique_ptr<int> a, const std::unique_ptr<int>& b) {
          *a += *b;
          return a;
        });
  });
  ASSERT_TRUE(sum.has_value());
  EXPECT_EQ(**sum, 3000 * 2999 / 2);
}

TEST_P(short_loops, folds_pass_exceptions_and_cancellations_on) {
  runtime_.run([] {
    for (const int count : {3, 100, 5000}) {
      const auto throwing = [count](int i) { return i == count - 1 ? throw std::runtime_error("last") : i; };
      EXPECT_THROW(static_cast<void>(nearfork::parallel_reduce(0, count, throwing, std::plus<>())), std::runtime_error);
      EXPECT_THROW(static_cast<void>(nearfork::parallel_reduce(0, count, 0, throwing, std::plus<>())),
                   std::runtime_error);
      nearfork::cancellation_source stop;
      stop.cancel();
      const std::optional<int> nothing =
          nearfork::parallel_reduce(0, count, [](int i) { return i; }, std::plus<>(), {.cancel = stop.token()});
      EXPECT_FALSE(nothing.has_value());
    }
  });
}

// Folds that are short for long may run on their worker alone. The tree, and so each bit, stays the same, also where
// values have become slow, throw or are cancelled, and in folds within folds.
TEST_P(short_loops, folds_repeat_whatever_comes_between) {
  for (const std::size_t count : {100U, 1500U}) {
    const auto value = [](std::size_t i) { return 1.0 / static_cast<double>(i + 1); };
    const double sum = runtime_.run([&] {
      return nearfork::parallel_reduce(std::size_t{0}, count, 0.0, value, std::plus<>(),
                                       {.grain = (count + 1023) / 1024});
    });
    constexpr int rounds = 2000;
    int thrown = 0;
    runtime_.run([&] {
      for (int round = 0; round < rounds; ++round) {
        const bool slow = round % 500 == 499;
        nearfork::cancellation_source stop;
        if (round % 900 == 899) stop.cancel();
        const auto map = [&](std::size_t i) {
          if (slow && i % 50 == 0) {
            EXPECT_EQ(nearfork::parallel_reduce(0, 64, 0, [](int j) { return j; }, std::plus<>()), 2016);
            std::this_thread::sleep_for(std::chrono::microseconds(10));
          }
          if (round % 700 == 699 && i == 77) throw std::runtime_error("77");
          return value(i);
        };
        try {
          const double folded =
              nearfork::parallel_reduce(std::size_t{0}, count, 0.0, map, std::plus<>(), {.cancel = stop.token()});
          ASSERT_EQ(folded, stop.cancelled() ? 0.0 : sum) << round;
        } catch (const std::runtime_error&) {
          ++thrown;
        }
      }
    });
    EXPECT_EQ(thrown, rounds / 700);
  }
}

// One fold of 64 slow values after many short ones: the others still help.
TEST(short_folds, are_shared_once_they_have_become_slow) {
  nearfork::runtime runtime(with_workers(4));
  std::mutex lock;
  std::set<std::thread::id> threads;
  bool slow = false;
  const auto fold = [&] {
    return nearfork::parallel_reduce(
        0, 64, 0,
        [&](int i) {
          if (slow) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            const std::lock_guard now(lock);
            threads.insert(std::this_thread::get_id());
          }
          return i;
        },
        std::plus<>());
  };
  runtime.run([&] {
    for (int n = 0; n < 2000; ++n) ASSERT_EQ(fold(), 2016);
    slow = true;
    for (int n = 0; n < 4; ++n) ASSERT_EQ(fold(), 2016);
  });
  EXPECT_GT(threads.size(), 1U);
}

/// Scans in one pass and in two must agree bit for bit, whichever part each did.
TEST_P(short_loops, scans_are_those_of_the_blocks) {
  for (const std::size_t count : {1U, 7U, 1000U, 1024U, 1500U, 200'000U}) {
    std::vector<float> from(count), inclusive(count), exclusive(count), expected(count);
    for (std::size_t i = 0; i < count; ++i) from[i] = 1.0F / static_cast<float>(i + 1);
    const std::size_t grain = (count + 1023) / 1024;
    float total = 0;
    for (std::size_t lo = 0; lo < count; lo += grain) {
      float running = total, folded = 0;
      for (std::size_t i = lo; i < std::min(lo + grain, count); ++i)
        expected[i] = running += from[i], folded += from[i];
      total += folded;
    }
    runtime_.run([&] {
      ASSERT_EQ(nearfork::parallel_scan_inclusive(from, inclusive.begin(), 0.0F, std::plus<>()), total);
      ASSERT_EQ(nearfork::parallel_scan_exclusive(from, exclusive.begin(), 0.0F, std::plus<>()), total);
      nearfork::parallel_scan_inclusive(from, from.begin(), 0.0F, std::plus<>());
    });
    ASSERT_EQ(inclusive, expected);
    ASSERT_EQ(from, expected);
    ASSERT_EQ(exclusive[0], 0.0F);
  }
}

TEST_P(short_loops, scans_with_slow_operators_are_shared) {
  std::vector<int> from(40, 1), to(from.size());
  std::atomic<int> calls{0};
  const auto slow = [&](int a, int b) {
    calls.fetch_add(1);
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
    while (std::chrono::steady_clock::now() < until) {
    }
    return a + b;
  };
  runtime_.run([&] { EXPECT_EQ(nearfork::parallel_scan_inclusive(from, to.begin(), 0, slow), 40); });
  std::vector<int> expected(from.size());
  std::iota(expected.begin(), expected.end(), 1);
  EXPECT_EQ(to, expected);
  EXPECT_EQ(calls.load(), 3 * 40);  // each block has one element: its fold, the start of the next, and its scan
}

// Quick blocks are done several at a time; slow ones are not.
TEST_P(short_loops, scans_see_a_cancellation_after_each_slow_block) {
  nearfork::cancellation_source stop;
  std::atomic<int> calls{0};
  std::vector<int> data(1000, 1);
  const auto slow_sum = [&](int a, int b) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (calls.fetch_add(1) == 20) stop.cancel();
    return a + b;
  };
  runtime_.run([&] {
    static_cast<void>(nearfork::parallel_scan_inclusive(data.begin(), data.end(), data.begin(), 0, slow_sum,
                                                        {.cancel = stop.token()}));
  });
  EXPECT_LT(calls.load(), 100);
  calls = 0;
  runtime_.run([&] {
    static_cast<void>(nearfork::parallel_scan_inclusive(data.begin(), data.end(), data.begin(), 0, slow_sum,
                                                        {.cancel = stop.token()}));
  });
  EXPECT_EQ(calls.load(), 0) << "it was cancelled before";
}

TEST_P(short_loops, scans_pass_exceptions_and_cancellations_on) {
  std::vector<int> from(5000, 1), to(from.size());
  from[4000] = -1;
  runtime_.run([&] {
    const auto throwing = [](int a, int b) { return b < 0 ? throw std::runtime_error("negative") : a + b; };
    EXPECT_THROW(nearfork::parallel_scan_inclusive(from, to.begin(), 0, throwing), std::runtime_error);
    nearfork::cancellation_source stop;
    const auto stopping = [&](int a, int b) {
      if (b < 0) stop.cancel();
      return a + b;
    };
    nearfork::parallel_scan_inclusive(from, to.begin(), 0, stopping, {.cancel = stop.token()});
    EXPECT_TRUE(stop.cancelled());
    const auto scan_anew = [&](int) {
      std::vector<int> own(from.size());
      nearfork::parallel_scan_inclusive(from, own.begin(), 0, throwing);
    };
    EXPECT_THROW(nearfork::parallel_for(0, 2, scan_anew), std::runtime_error);
  });
}

}  // namespace

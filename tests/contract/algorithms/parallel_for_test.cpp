#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::parallel_for;
using nearfork::parallel_for_range;
using nearfork::test::with_workers;
using namespace std::chrono_literals;

class parallel_for_with : public testing::TestWithParam<unsigned> {
 protected:
  nearfork::runtime runtime_{with_workers(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(workers, parallel_for_with, testing::Values(1U, 2U, 5U));

TEST_P(parallel_for_with, visits_each_index_exactly_once_whatever_the_length_and_the_grain) {
  for (const std::size_t length : {0UL, 1UL, 2UL, 7UL, 16UL, 17UL, 1000UL, 65537UL})
    for (const std::size_t grain : {0UL, 1UL, 3UL, 1000UL, std::numeric_limits<std::size_t>::max()}) {
      std::vector<std::atomic<int>> visits(length);
      runtime_.run([&] {
        parallel_for(std::size_t{0}, length, [&](std::size_t i) { visits[i].fetch_add(1); }, {.grain = grain});
      });
      for (std::size_t i = 0; i < length; ++i)
        ASSERT_EQ(visits[i].load(), 1) << i << " of " << length << " by " << grain;
    }
}

TEST_P(parallel_for_with, covers_signed_and_extreme_ranges) {
  std::atomic<std::int64_t> sum{0};
  runtime_.run([&] { parallel_for(-500, 501, [&](int i) { sum.fetch_add(i); }); });
  EXPECT_EQ(sum.load(), 0);
  std::atomic<std::uint64_t> covered{0};
  runtime_.run([&] {
    parallel_for_range(std::numeric_limits<int>::min(), std::numeric_limits<int>::max(), [&](int lo, int hi) {
      covered.fetch_add(static_cast<std::uint64_t>(std::int64_t{hi} - std::int64_t{lo}));
    });
  });
  EXPECT_EQ(covered.load(), std::uint64_t{std::numeric_limits<unsigned>::max()});
  runtime_.run([&] { parallel_for(5, 5, [](int) { FAIL(); }); });
  runtime_.run([&] { parallel_for(5, 4, [](int) { FAIL(); }); });
}

TEST_P(parallel_for_with, keeps_leaves_within_a_given_grain) {
  runtime_.run([&] {
    parallel_for_range(0, 1000,
                       [](int lo, int hi) {
                         EXPECT_LE(hi - lo, 10);
                         EXPECT_GT(hi, lo);
                       },
                       {.grain = 10});
  });
}

TEST_P(parallel_for_with, nests) {
  std::vector<std::atomic<int>> visits(100 * 100);
  runtime_.run([&] {
    parallel_for(0, 100, [&](int row) {
      parallel_for(0, 100, [&](int column) { visits[static_cast<std::size_t>(row * 100 + column)].fetch_add(1); });
    });
  });
  for (const auto& visit : visits) ASSERT_EQ(visit.load(), 1);
}

TEST_P(parallel_for_with, throws_what_a_body_throws) {
  for (int round = 0; round < 50; ++round)
    EXPECT_THROW(runtime_.run([] {
      parallel_for(0, 10000, [](int i) {
        if (i == 7777) throw std::runtime_error("body");
      });
    }),
                 std::runtime_error);
}

TEST_P(parallel_for_with, skips_what_has_not_started_once_cancelled) {
  nearfork::cancellation_source source;
  std::atomic<int> ran{0};
  runtime_.run([&] {
    parallel_for(0, 1'000'000,
                 [&](int) {
                   if (ran.fetch_add(1) == 10) source.cancel();
                 },
                 {.grain = 1, .cancel = source.token()});
  });
  EXPECT_GE(ran.load(), 11);
  EXPECT_LT(ran.load(), 1'000'000);
  ran = 0;
  runtime_.run([&] { parallel_for(0, 1000, [&](int) { ran.fetch_add(1); }, {.cancel = source.token()}); });
  EXPECT_EQ(ran.load(), 0);
}

// Loops that are short for long may run on their worker alone. Each index still runs once, also of those that have
// become slow, throw or are cancelled, and of loops within loops.
TEST_P(parallel_for_with, repeats_short_loops_whatever_comes_between) {
  constexpr std::size_t length = 200;
  constexpr int rounds = 3000;
  std::vector<std::atomic<int>> visits(length);
  int thrown = 0;
  int cancelled = 0;
  runtime_.run([&] {
    for (int round = 0; round < rounds; ++round) {
      const bool slow = round % 500 == 499;
      const bool throws = round % 700 == 699;
      nearfork::cancellation_source stop;
      if (round % 900 == 899) stop.cancel();
      const auto body = [&](std::size_t i) {
        if (slow && i % 50 == 0) parallel_for(0, 100, [&](int) { std::this_thread::sleep_for(10us); });
        if (throws && i == 77) throw std::runtime_error("77");
        visits[i].fetch_add(1, std::memory_order_relaxed);
      };
      try {
        parallel_for(std::size_t{0}, length, body, {.cancel = stop.token()});
      } catch (const std::runtime_error&) {
        ++thrown;
      }
      if (stop.cancelled()) ++cancelled;
    }
  });
  EXPECT_EQ(thrown, rounds / 700);
  EXPECT_EQ(cancelled, rounds / 900);
  for (std::size_t i = 0; i < length; ++i) {
    EXPECT_LE(visits[i].load(), rounds - cancelled);
    EXPECT_GE(visits[i].load(), rounds - cancelled - thrown);
  }
  EXPECT_EQ(visits[77].load(), rounds - cancelled - thrown);
}

// One loop of slow bodies after many short ones: the others still help.
TEST(parallel_for, shares_a_loop_that_has_become_slow) {
  nearfork::runtime runtime(with_workers(4));
  for (const int count : {8, 64}) {
    std::mutex lock;
    std::set<std::thread::id> threads;
    bool slow = false;
    runtime.run([&] {
      const auto loop = [&] {
        parallel_for(0, count, [&](int) {
          if (!slow) return;
          std::this_thread::sleep_for(1ms);
          const std::lock_guard held(lock);
          threads.insert(std::this_thread::get_id());
        });
      };
      for (int round = 0; round < 20'000; ++round) loop();
      slow = true;
      loop();
    });
    EXPECT_GT(threads.size(), 1U) << count;
  }
}

TEST(parallel_reduce, is_the_same_bit_for_bit_for_any_number_of_workers) {
  const auto harmonic = [](unsigned workers) {
    nearfork::runtime runtime(with_workers(workers));
    return runtime.run([] {
      return nearfork::parallel_reduce(
          1, 1'000'003, 0.0, [](int i) { return 1.0 / i; }, [](double a, double b) { return a + b; });
    });
  };
  const double one = harmonic(1);
  EXPECT_NEAR(one, 14.3927, 1e-3);
  for (const unsigned workers : {2U, 3U, 8U}) EXPECT_EQ(harmonic(workers), one);
}

TEST(parallel_reduce, keeps_the_order_of_operands) {
  const auto text = nearfork::parallel_reduce(
      0, 3000, std::string(), [](int i) { return std::string(1, static_cast<char>('a' + i % 26)); },
      [](std::string a, const std::string& b) { return std::move(a) + b; });
  ASSERT_EQ(text.size(), 3000U);
  for (std::size_t i = 0; i < text.size(); ++i) ASSERT_EQ(text[i], static_cast<char>('a' + i % 26));
}

TEST(parallel_reduce, of_nothing_is_the_identity) {
  EXPECT_EQ(nearfork::parallel_reduce(3, 3, 42, [](int) { return 1; }, [](int a, int b) { return a + b; }), 42);
}

TEST(parallel_scan, equals_the_serial_scans) {
  for (const std::size_t length : {0UL, 1UL, 5UL, 1024UL, 1025UL, 100'000UL}) {
    std::vector<std::int64_t> in(length);
    std::iota(in.begin(), in.end(), -50);
    std::vector<std::int64_t> expected(length), out(length);
    std::inclusive_scan(in.begin(), in.end(), expected.begin());
    const auto total =
        nearfork::parallel_scan_inclusive(in.begin(), in.end(), out.begin(), std::int64_t{0}, std::plus<>{});
    EXPECT_EQ(out, expected);
    EXPECT_EQ(total, length == 0 ? 0 : expected.back());
    std::exclusive_scan(in.begin(), in.end(), expected.begin(), std::int64_t{0});
    nearfork::parallel_scan_exclusive(in.begin(), in.end(), out.begin(), std::int64_t{0}, std::plus<>{});
    EXPECT_EQ(out, expected);
    nearfork::parallel_scan_exclusive(in.begin(), in.end(), in.begin(), std::int64_t{0}, std::plus<>{});
    EXPECT_EQ(in, expected) << "in place";
  }
}

TEST(parallel_scan, is_the_same_bit_for_bit_for_any_number_of_workers) {
  std::vector<double> in(50'000);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = 1.0 / static_cast<double>(i + 1);
  const auto scanned = [&](unsigned workers) {
    nearfork::runtime runtime(with_workers(workers));
    std::vector<double> out(in.size());
    runtime.run([&] { nearfork::parallel_scan_inclusive(in.begin(), in.end(), out.begin(), 0.0, std::plus<>{}); });
    return out;
  };
  const auto one = scanned(1);
  EXPECT_EQ(scanned(2), one);
  EXPECT_EQ(scanned(7), one);
}

}  // namespace

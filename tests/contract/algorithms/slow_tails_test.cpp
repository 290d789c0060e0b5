// Slow bodies behind quick ones: two of them run at the same time, wherever they lie. Each waits for the other.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using namespace std::chrono_literals;
using nearfork::test::with_workers;

/// Two indices of a loop, whose bodies wait for each other.
class pair_of_slow_bodies {
 public:
  pair_of_slow_bodies(int one, int other) noexcept : one_(one), other_(other) {}

  int call(int i) {
    if (i == one_ || i == other_) meet();
    return 1;
  }
  [[nodiscard]] bool have_met() const noexcept { return met_.load() == 2; }

 private:
  void meet() {
    const auto long_after = std::chrono::steady_clock::now() + 20s;
    here_.fetch_add(1);
    while (here_.load() < 2)
      if (std::chrono::steady_clock::now() > long_after) return;
      else std::this_thread::sleep_for(100us);
    met_.fetch_add(1);
  }

  int one_, other_;
  std::atomic<int> here_{0};
  std::atomic<int> met_{0};
};

using loop = int (*)(int count, pair_of_slow_bodies& bodies);

int call_each(int count, pair_of_slow_bodies& bodies) {
  std::atomic<int> calls{0};
  nearfork::parallel_for(0, count, [&](int i) { calls += bodies.call(i); });
  return calls;
}

int call_in_ranges(int count, pair_of_slow_bodies& bodies) {
  std::atomic<int> calls{0};
  nearfork::parallel_for_range(0, count, [&](int lo, int hi) {
    for (int i = lo; i != hi; ++i) calls += bodies.call(i);
  });
  return calls;
}

int fold(int count, pair_of_slow_bodies& bodies) {
  return nearfork::parallel_reduce(0, count, 0, [&](int i) { return bodies.call(i); }, std::plus<>());
}

int fold_with_a_grain(int count, pair_of_slow_bodies& bodies) {
  return nearfork::parallel_reduce(0, count, 0, [&](int i) { return bodies.call(i); }, std::plus<>(), {.grain = 1});
}

/// Where thieves cannot take by force (the report says why), they wait for a piece's end.
class slow_tails : public testing::TestWithParam<loop> {
 protected:
  void SetUp() override {
    for (const auto& one : runtime_.report().degradations)
      if (one.why.find("; signals: ") != std::string::npos) GTEST_SKIP() << one.why;
  }
  nearfork::runtime runtime_{with_workers(2)};
};
INSTANTIATE_TEST_SUITE_P(of_loops, slow_tails, testing::Values(&call_each, &call_in_ranges, &fold, &fold_with_a_grain));

TEST_P(slow_tails, are_shared) {
  for (const int count : {3, 16, 64})
    for (const int first : {0, count / 2, count - 2}) {
      pair_of_slow_bodies bodies(first, first + 1);
      EXPECT_EQ(runtime_.run([&] { return GetParam()(count, bodies); }), count);
      EXPECT_TRUE(bodies.have_met()) << first << " of " << count;
    }
}

}  // namespace

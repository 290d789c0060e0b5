// Reductions by elements and operators of many types: of dataflow tasks, and some of loops.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::dataflow;
using nearfork::reduction;

class reductions : public testing::Test {
 protected:
  nearfork::runtime runtime_{nearfork::test::with_workers(2)};
};

struct alignas(256) wide {
  std::array<std::uint64_t, 32> words;
};
struct add_wide {
  static wide identity() { return {}; }
  wide operator()(const wide& a, const wide& b) const {
    wide sum = a;
    for (std::size_t i = 0; i < sum.words.size(); ++i) sum.words[i] += b.words[i];
    return sum;
  }
};

TEST_F(reductions, give_copies_that_are_aligned_as_their_type_asks) {
  wide sum{};
  std::atomic<int> misaligned{0};
  dataflow graph(runtime_);
  for (int i = 0; i < 100; ++i)
    graph.task({reduction(sum, add_wide())}, [&](std::span<wide> mine) {
      if (reinterpret_cast<std::uintptr_t>(mine.data()) % alignof(wide) != 0) ++misaligned;
      ++mine[0].words[31];
    });
  graph.sync();
  EXPECT_EQ(misaligned, 0);
  EXPECT_EQ(sum.words[31], 100U);
}

/// The sum of two of them is an int. That it is narrowed is no warning for the program.
template <class T, class Op>
T reduced(nearfork::runtime& home, T from, T by, Op op) {
  dataflow graph(home);
  for (int i = 0; i < 3; ++i)
    graph.task({reduction(from, op)}, [=](std::span<T> mine) { mine[0] = static_cast<T>(op(mine[0], by)); });
  graph.sync();
  return from;
}

TEST_F(reductions, of_small_integers_compile_without_warnings) {
  EXPECT_EQ(reduced<short>(runtime_, 1, 2, std::plus<>()), 7);
  EXPECT_EQ(reduced<signed char>(runtime_, 1, 2, std::multiplies<>()), 8);
  EXPECT_EQ(reduced<unsigned char>(runtime_, 1, 6, std::bit_or<>()), 7);
  EXPECT_EQ(reduced<unsigned short>(runtime_, 7, 2, std::bit_and<>()), 2);
  EXPECT_EQ(reduced<unsigned char>(runtime_, 1, 6, std::bit_xor<>()), 7);
  EXPECT_EQ(reduced<bool>(runtime_, false, true, std::logical_or<>()), true);
  EXPECT_EQ(reduced<bool>(runtime_, true, false, std::logical_and<>()), false);
}

TEST_F(reductions, of_small_integers_by_loops_compile_without_warnings) {
  const std::vector<short> ones(1'000, 1);
  const auto at = [&](std::size_t i) { return ones[i]; };
  EXPECT_EQ(nearfork::parallel_reduce(std::size_t{0}, ones.size(), short{0}, at, std::plus<>()), 1'000);
  EXPECT_EQ(nearfork::parallel_reduce(ones, short{0}, std::bit_or<>()), 1);
  const auto piece = [](std::size_t from, std::size_t to, short) { return static_cast<short>(to - from); };
  EXPECT_EQ(nearfork::parallel_reduce_range(std::size_t{0}, ones.size(), short{0}, piece, std::plus<>()), 1'000);
  std::vector<short> sums(ones.size());
  EXPECT_EQ(nearfork::parallel_scan_inclusive(ones, sums.begin(), short{0}, std::plus<>()), 1'000);
  EXPECT_EQ(sums.back(), 1'000);
  const auto add = [](int a, int b) { return a + b; };
  EXPECT_EQ(nearfork::parallel_scan_exclusive(ones, sums.begin(), short{0}, add), 1'000);
  EXPECT_EQ(sums.back(), 999);
}

struct point {
  double x;
  double y;
};
struct multiply_points {
  static point identity() { return {1, 1}; }
  point operator()(const point& a, const point& b) const { return {a.x * b.x, a.y * b.y}; }
};

TEST_F(reductions, of_classes_begin_with_their_identity) {
  const point product = reduced(runtime_, point{1, 1}, point{2, 3}, multiply_points());
  EXPECT_EQ(product.x, 8);
  EXPECT_EQ(product.y, 27);
  const std::complex<double> i{0, 1};
  EXPECT_EQ(reduced(runtime_, std::complex<double>(1), i, std::multiplies<>()), -i);
}

}  // namespace

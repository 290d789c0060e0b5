// Reductions by elements and operators of many types: of dataflow tasks, and some of loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::accumulation;
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

// --- accumulations ---

TEST_F(reductions, that_take_any_copy_add_up) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{100}, std::size_t{100'000}}) {
    std::vector<long> sums(count, 1);
    dataflow graph(runtime_);
    for (long i = 0; i < 300; ++i)
      graph.task({accumulation(sums, std::plus<>())}, [](std::span<long> mine) {
        ++mine.front();
        ++mine[mine.size() / 2];
      });
    graph.wait();
    EXPECT_EQ(sums[count / 2], count == 1 ? 601 : 301);
    EXPECT_EQ(sums.front(), count == 1 ? 601 : 301);
    graph.task({accumulation(sums, std::plus<>())}, [](std::span<long> mine) { mine.back() += 5; });
    graph.sync();
    EXPECT_EQ(sums.back(), count == 1 ? 606 : 6);
  }
}

TEST_F(reductions, of_a_parent_s_data_by_nested_tasks_add_up) {
  std::vector<long> sums(1'000);
  dataflow graph(runtime_);
  for (int i = 0; i < 20; ++i)
    graph.task({nearfork::weak_inout(sums)}, [&](nearfork::nested_tasks& inner) {
      for (int j = 0; j < 20; ++j) {
        inner.task({accumulation(sums, std::plus<>())}, [](std::span<long> mine) { ++mine[7]; });
        inner.task({reduction(sums, std::plus<>())}, [](std::span<long> mine) { ++mine[8]; });
      }
    });
  graph.sync();
  EXPECT_EQ(sums[7], 400);
  EXPECT_EQ(sums[8], 400);
}

TEST_F(reductions, that_fail_leave_what_others_have_added) {
  for (int failing = 0; failing < 40; ++failing) {
    std::vector<long> sums(1'000);
    dataflow graph(runtime_);
    for (int i = 0; i < 40; ++i) {
      const auto add = [i, failing](std::span<long> mine) {
        if (i == failing) throw 1;
        ++mine[500];
      };
      if (i % 2 == 0) graph.task({accumulation(sums, std::plus<>())}, add);
      else graph.task({reduction(sums, std::plus<>())}, add);
    }
    EXPECT_THROW(graph.sync(), int);
    EXPECT_EQ(sums[500], 39);
  }
}

TEST_F(reductions, whose_last_tasks_are_cancelled_leave_what_others_have_added) {
  std::vector<long> sums(1'000);
  long ran = 0;
  dataflow graph(runtime_);
  for (int i = 0; i < 200; ++i)
    graph.task({accumulation(sums, std::plus<>()), nearfork::commutative(ran)},
               [&graph, i](std::span<long> mine, std::span<long> count) {
                 ++mine[3];
                 ++count[0];
                 if (i == 100) graph.cancel();
               });
  graph.sync();
  EXPECT_EQ(sums[3], ran);
  EXPECT_GE(ran, 1);
}

TEST_F(reductions, whose_last_tasks_can_never_run_leave_what_others_have_added) {
  std::vector<long> sums(1'000);
  dataflow graph(runtime_);
  const auto nobody_writes = graph.buffer<long>(1);
  graph.task({accumulation(sums, std::plus<>()), nearfork::in(nobody_writes)},
             [](std::span<long> mine, std::span<const long>) { mine[3] = 1'000; });
  for (int i = 0; i < 50; ++i) graph.task({accumulation(sums, std::plus<>())}, [](std::span<long> mine) { ++mine[3]; });
  EXPECT_THROW(graph.wait(), nearfork::error);
  EXPECT_EQ(sums[3], 50);
}

TEST_F(reductions, that_take_any_copy_are_replayed) {
  std::vector<long> sums(10'000);
  dataflow graph(runtime_);
  graph.keep();
  for (int i = 0; i < 50; ++i) {
    graph.task({accumulation(sums, std::plus<>())}, [](std::span<long> mine) { ++mine[9'000]; });
    graph.task({reduction(sums, std::plus<>())}, [](std::span<long> mine) { ++mine[9'001]; });
  }
  graph.wait();
  for (int i = 1; i < 20; ++i) graph.replay();
  EXPECT_EQ(sums[9'000], 1'000);
  EXPECT_EQ(sums[9'001], 1'000);
}

/// Random tasks that add to parts of some numbers, set and read them, beside what they would be one after the other.
class random_reductions {
 public:
  random_reductions(nearfork::runtime& home, unsigned seed, std::size_t count)
      : graph_(home), random_(seed), numbers_(count), expected_(count) {}

  void add_task() {
    const std::size_t pieces = std::size_t{1} << random_() % 3;
    const std::size_t length = numbers_.size() / pieces;
    const std::size_t from = random_() % pieces * length;
    const std::span<long> part = std::span(numbers_).subspan(from, length);
    const long by = 1 + static_cast<long>(random_() % 9);
    const auto what = random_() % 10;
    if (what == 9) return read(part, from);
    if (what == 8) return set(part, from, by);
    const std::size_t at = random_() % length;
    expected_[from + at] += by;
    const auto add = [at, by](std::span<long> mine) { mine[at] += by; };
    if (what < 5) graph_.task({accumulation(part, std::plus<>())}, add);
    else graph_.task({reduction(part, std::plus<>())}, add);
  }
  /// True: all was as expected.
  [[nodiscard]] bool end() {
    graph_.sync();
    return wrong_ == 0 && numbers_ == expected_;
  }

 private:
  void read(std::span<long> part, std::size_t from) {
    const auto first = expected_.begin() + static_cast<std::ptrdiff_t>(from);
    std::vector<long> seen(first, first + static_cast<std::ptrdiff_t>(part.size()));
    graph_.task({nearfork::in(part)}, [this, part, wanted = std::move(seen)] {
      if (!std::ranges::equal(part, wanted)) ++wrong_;
    });
  }
  void set(std::span<long> part, std::size_t from, long to) {
    std::fill_n(expected_.begin() + static_cast<std::ptrdiff_t>(from), part.size(), to);
    graph_.task({nearfork::out(part)}, [part, to] { std::ranges::fill(part, to); });
  }

  dataflow graph_;
  std::mt19937 random_;
  std::vector<long> numbers_;
  std::vector<long> expected_;
  std::atomic<int> wrong_{0};
};

TEST_F(reductions, of_parts_are_over_before_they_are_read) {
  constexpr unsigned rounds = nearfork::test::sanitized ? 100 : 1'000;
  for (unsigned seed = 0; seed < rounds; ++seed) {
    random_reductions program(runtime_, seed, seed % 4 == 0 ? 4'096 : 8);
    for (int i = 0; i < 100; ++i) program.add_task();
    ASSERT_TRUE(program.end()) << "seed " << seed;
  }
}

}  // namespace

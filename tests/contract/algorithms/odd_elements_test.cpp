// Elements, orders and operations that a program may come with, and that fit badly.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::test::with_workers;

/// Neither an element that was not made nor what combining it throws is seen.
TEST(odd_elements, a_fold_combines_nothing_after_a_failure) {
  for (const unsigned workers : {1U, 3U}) {
    nearfork::runtime runtime(with_workers(workers));
    const auto one = [](int i) -> std::vector<int> {
      if (i == 700) throw std::invalid_argument("bad input");
      return {i};
    };
    const auto both = [](std::vector<int> left, const std::vector<int>& right) {
      if (left.empty() || right.empty()) throw std::logic_error("nothing to combine");
      left.back() += right.front();
      return left;
    };
    for (const std::size_t grain : {0U, 1U, 10U})
      for (int round = 0; round < 20; ++round)
        runtime.run([&] {
          EXPECT_THROW((void)nearfork::parallel_reduce_range(0, 1000, std::vector<int>{},
                                                             [&](int lo, int hi, const std::vector<int>&) {
                                                               std::vector<int> sum = one(lo);
                                                               for (int i = lo + 1; i != hi; ++i)
                                                                 sum.back() += one(i).back();
                                                               return sum;
                                                             },
                                                             both, {.grain = grain}),
                       std::invalid_argument);
        });
  }
}

TEST(odd_elements, a_rectangle_of_more_tiles_than_numbers_has_bodies) {
  nearfork::runtime runtime(with_workers(2));
  nearfork::cancellation_source enough;
  std::atomic<int> bodies{0};
  const nearfork::blocked_range2d<std::size_t> rectangle(0, std::size_t{1} << 33, 1, 0, std::size_t{1} << 33, 1);
  runtime.run([&] {
    nearfork::parallel_for(rectangle,
                           [&](const auto&) {
                             ++bodies;
                             enough.cancel();
                           },
                           {.cancel = enough.token()});
  });
  EXPECT_GE(bodies.load(), 1);
}

/// `<` is no order of numbers with NaN among them. The result has no order then, but all elements.
TEST(odd_elements, nan_is_sorted_somewhere_and_no_number_is_lost) {
  nearfork::runtime runtime(with_workers(2));
  std::mt19937 random(1);
  for (const std::size_t size : {10U, 1000U, 30'000U})
    for (const bool stable : {false, true}) {
      std::vector<double> numbers(size);
      std::iota(numbers.begin(), numbers.end(), 0.0);
      std::shuffle(numbers.begin(), numbers.end(), random);
      for (std::size_t i = 0; i < size; i += 7) numbers[i] = std::numeric_limits<double>::quiet_NaN();
      std::vector<double> kept;
      for (const double each : numbers)
        if (!std::isnan(each)) kept.push_back(each);
      runtime.run([&] {
        if (stable) nearfork::parallel_stable_sort(numbers);
        else nearfork::parallel_sort(numbers);
      });
      std::erase_if(numbers, [](double each) { return std::isnan(each); });
      std::sort(numbers.begin(), numbers.end());
      std::sort(kept.begin(), kept.end());
      EXPECT_EQ(numbers, kept) << size << (stable ? ", stable" : "");
    }
}

/// Its moves throw from some number on.
struct element {
  static inline int moves_left = 0;
  int value = 0;

  element() = default;
  explicit element(int given) : value(given) {}
  element(element&& other) : value(other.value) { count(); }
  element& operator=(element&& other) {
    count();
    value = other.value;
    return *this;
  }
  static void count() {
    if (--moves_left < 0) throw std::string("enough");
  }
};

TEST(odd_elements, whose_moves_throw_again_and_again_end_a_sort) {
  nearfork::runtime runtime(with_workers(1));
  for (const int moves : {0, 100, 20'000, 40'000})
    for (const bool stable : {false, true}) {
      std::vector<element> all(20'000);
      for (std::size_t i = 0; i < all.size(); ++i) all[i].value = static_cast<int>(i * 7919 % all.size());
      const auto by_value = [](const element& a, const element& b) { return a.value < b.value; };
      element::moves_left = moves;
      EXPECT_THROW(runtime.run([&] {
        if (stable) nearfork::parallel_stable_sort(all, by_value);
        else nearfork::parallel_sort(all, by_value);
      }),
                   std::string);
    }
}

TEST(odd_elements, views_are_folded_to_what_owns_its_text) {
  const std::vector<std::string_view> words{"a", "fold", "of", "views", "that", "own", "nothing"};
  const auto join = [](std::string_view a, std::string_view b) { return std::string(a) + std::string(b); };
  const auto all = nearfork::parallel_reduce(words, join);
  static_assert(std::is_same_v<decltype(all), const std::optional<std::string>>);
  EXPECT_EQ(all, "afoldofviewsthatownnothing");
}

TEST(odd_elements, arrays_are_scanned_with_options) {
  const int numbers[] = {1, 2, 3};
  int sums[3] = {};
  const nearfork::loop_options options;
  EXPECT_EQ(nearfork::parallel_scan_inclusive(numbers, sums, 0, std::plus<>(), options), 6);
  EXPECT_EQ(sums[2], 6);
  EXPECT_EQ(nearfork::parallel_scan_exclusive(numbers, sums, 0, std::plus<>(), options), 6);
  EXPECT_EQ(sums[2], 3);
}

TEST(odd_elements, a_vector_that_is_moved_from_keeps_its_placing) {
  const nearfork::allocator<int> interleaved(nearfork::memory_options{.where = nearfork::placing::interleaved()});
  std::vector<int, nearfork::allocator<int>> from(10, 1, interleaved);
  const auto to = std::move(from);
  EXPECT_EQ(to.get_allocator().shared_options(), interleaved.shared_options());
  EXPECT_EQ(from.get_allocator().shared_options(), interleaved.shared_options());  // NOLINT(bugprone-use-after-move)
}

}  // namespace

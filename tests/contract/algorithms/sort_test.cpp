// parallel_sort and parallel_stable_sort against std::stable_sort, for any input, element type, comparison and end.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::parallel_sort;
using nearfork::parallel_stable_sort;
using nearfork::test::with_workers;

/// A key, and where the element was before.
struct numbered {
  std::uint32_t key;
  std::uint32_t place;
  bool operator==(const numbered&) const = default;
};
/// One type for all comparisons of a kind of elements: each further one would compile another sort.
template <class T>
using ordering = std::function<bool(const T&, const T&)>;
const ordering<numbered> by_key = [](const numbered& a, const numbered& b) { return a.key < b.key; };
using owned = std::unique_ptr<int>;

/// Inputs that sorts stumble over.
enum class shape : std::uint8_t {
  random,
  few_keys,
  equal,
  sorted,
  reversed,
  nearly_sorted,
  few_nearly_sorted,
  runs,
  pipe
};
constexpr shape shapes[] = {
    shape::random,        shape::few_keys,          shape::equal, shape::sorted, shape::reversed,
    shape::nearly_sorted, shape::few_nearly_sorted, shape::runs,  shape::pipe};

std::uint32_t key_of(shape what, std::size_t i, std::size_t count, std::mt19937& engine) {
  const auto random = [&engine] { return static_cast<std::uint32_t>(engine()); };
  const auto at = static_cast<std::uint32_t>(i);
  const auto all = static_cast<std::uint32_t>(count);
  switch (what) {
    case shape::random: return random();
    case shape::few_keys: return random() % 5;
    case shape::equal: return 7;
    case shape::sorted: return at / 2;
    case shape::reversed: return (all - at) / 2;
    case shape::nearly_sorted: return random() % 100 == 0 ? random() % all : at;
    case shape::few_nearly_sorted: return (random() % 1000 == 0 ? random() % all : at) / (all / 20 + 1);
    case shape::runs: return at % 1000;
    case shape::pipe: return std::min(at, all - at);
  }
  return 0;
}
std::vector<numbered> made(shape what, std::size_t count) {
  std::mt19937 random(1);
  std::vector<numbered> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = {key_of(what, i, count, random), static_cast<std::uint32_t>(i)};
  return all;
}

class parallel_sort_with : public testing::TestWithParam<unsigned> {
 protected:
  nearfork::runtime runtime_{with_workers(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(workers, parallel_sort_with, testing::Values(1U, 4U));

TEST_P(parallel_sort_with, gives_what_the_serial_sort_gives) {
  for (const shape what : shapes)
    for (const std::size_t count : {0UL, 1UL, 2UL, 3UL, 511UL, 513UL, 2049UL, 20'000UL, 150'000UL}) {
      const std::vector<numbered> given = made(what, count);
      std::vector<numbered> expected = given;
      std::stable_sort(expected.begin(), expected.end(), by_key);
      std::vector<numbered> stable = given, any = given;
      runtime_.run([&] {
        parallel_stable_sort(stable.begin(), stable.end(), by_key);
        parallel_sort(any.begin(), any.end(), by_key);
      });
      ASSERT_EQ(stable, expected) << count << " of shape " << static_cast<int>(what);
      ASSERT_TRUE(std::is_sorted(any.begin(), any.end(), by_key)) << count << " of shape " << static_cast<int>(what);
      std::sort(any.begin(), any.end(), [](auto& a, auto& b) { return a.place < b.place; });
      ASSERT_EQ(any, given) << "not a permutation: " << count << " of shape " << static_cast<int>(what);
    }
}

RC_GTEST_PROP(parallel_sort, sorts_any_numbers_with_any_grain, (const std::vector<std::int8_t>& given)) {
  std::vector<int> numbers;  // long enough for several levels of buckets
  for (int i = 0; i < 20; ++i)
    for (const std::int8_t n : given) numbers.push_back(n * (i % 3 + 1));
  std::vector<int> expected = numbers;
  std::sort(expected.begin(), expected.end());
  parallel_sort(numbers, std::less<>(), {.grain = *rc::gen::inRange<std::size_t>(1, 50)});
  RC_ASSERT(numbers == expected);
}

TEST_P(parallel_sort_with, sorts_backwards) {
  for (const shape what : shapes)
    for (const std::size_t count : {513UL, 8196UL, 20'000UL}) {
      const std::vector<numbered> given = made(what, count);
      std::vector<numbered> expected = given;
      std::stable_sort(expected.rbegin(), expected.rend(), by_key);
      std::vector<numbered> stable = given, any = given;
      std::deque<numbered> queue(given.begin(), given.end());
      runtime_.run([&] {
        parallel_stable_sort(stable.rbegin(), stable.rend(), by_key);
        parallel_sort(any.rbegin(), any.rend(), by_key);
        parallel_sort(queue.rbegin(), queue.rend(), by_key);
      });
      ASSERT_EQ(stable, expected) << count << " of shape " << static_cast<int>(what);
      ASSERT_TRUE(std::is_sorted(any.rbegin(), any.rend(), by_key)) << count << " of shape " << static_cast<int>(what);
      ASSERT_TRUE(std::is_sorted(queue.rbegin(), queue.rend(), by_key))
          << count << " of shape " << static_cast<int>(what);
    }
}

/// The vector stores of such elements crash at addresses that are not aligned.
TEST_P(parallel_sort_with, sorts_elements_with_an_alignment_of_their_own) {
  struct alignas(64) wide {
    std::uint32_t key = 0;
    std::uint32_t copies[15] = {};
    bool operator==(const wide&) const = default;
  };
  std::vector<wide> all(3000);
  std::mt19937 random(5);
  for (wide& one : all) std::fill_n(one.copies, 15, one.key = static_cast<std::uint32_t>(random() % 500));
  const auto by_its_key = [](const wide& a, const wide& b) { return a.key < b.key; };
  runtime_.run([&] { parallel_stable_sort(all, by_its_key); });
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), by_its_key));
  for (const wide& one : all) ASSERT_EQ(one.copies[14], one.key);
}

// As std::sort takes them.
TEST_P(parallel_sort_with, takes_comparisons_of_non_constant_references) {
  const std::vector<numbered> given = made(shape::few_keys, 20'000);
  std::vector<numbered> expected = given;
  std::stable_sort(expected.begin(), expected.end(), by_key);
  std::vector<numbered> stable = given, any = given;
  const auto by_its_key = [](numbered& a, numbered& b) { return a.key < b.key; };
  runtime_.run([&] {
    parallel_stable_sort(stable, by_its_key);
    parallel_sort(any.begin(), any.end(), by_its_key);
  });
  EXPECT_EQ(stable, expected);
  EXPECT_TRUE(std::is_sorted(any.begin(), any.end(), by_key));
}

TEST_P(parallel_sort_with, sorts_elements_that_only_move) {
  std::vector<std::unique_ptr<int>> all(30'000);
  std::mt19937 random(3);
  for (auto& one : all) one = std::make_unique<int>(static_cast<int>(random() % 10'000));
  const ordering<owned> less = [](const owned& a, const owned& b) { return *a < *b; };
  runtime_.run([&] { parallel_sort(all, less); });
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), less));
}

TEST_P(parallel_sort_with, sorts_strings_in_deques_and_bits) {
  std::mt19937 random(4);
  std::deque<std::string> words(20'000);
  for (auto& word : words) word = "a prefix that does not fit into the string itself " + std::to_string(random());
  std::deque<std::string> expected = words;
  std::sort(expected.begin(), expected.end());
  runtime_.run([&] { parallel_sort(words); });
  EXPECT_EQ(words, expected);
  std::vector<bool> bits(5'000);
  for (std::size_t i = 0; i < bits.size(); i += 2) bits[i] = true;
  runtime_.run([&] { parallel_sort(bits.begin(), bits.end()); });
  EXPECT_TRUE(std::is_sorted(bits.begin(), bits.end()));
}

TEST(parallel_sort, gives_the_same_order_of_equals_for_any_number_of_workers) {
  nearfork::runtime one(with_workers(1)), four(with_workers(4));
  const auto sorted = [](nearfork::runtime& by, shape what) {
    std::vector<numbered> all = made(what, 100'000);
    by.run([&] { parallel_sort(all, by_key); });
    return all;
  };
  for (const shape what : shapes) EXPECT_EQ(sorted(one, what), sorted(four, what)) << static_cast<int>(what);
}

/// Large elements are moved less, and so by other ways.
TEST_P(parallel_sort_with, sorts_large_elements) {
  struct large {
    numbered it;
    std::uint64_t rest[7];
  };
  const ordering<large> less = [](const large& a, const large& b) { return a.it.key < b.it.key; };
  for (const shape what : shapes) {
    std::vector<numbered> expected = made(what, 40'000);
    std::vector<large> all;
    for (const numbered& one : expected) all.push_back({one, {one.place}});
    std::stable_sort(expected.begin(), expected.end(), by_key);
    runtime_.run([&] { parallel_stable_sort(all, less); });
    const auto same = [](const large& a, const numbered& b) { return a.it == b && a.rest[0] == b.place; };
    EXPECT_TRUE(std::ranges::equal(all, expected, same)) << static_cast<int>(what);
  }
}

/// Merging runs loses no element, unlike std::sort.
TEST_P(parallel_sort_with, keeps_all_elements_when_a_comparison_throws_while_runs_are_merged) {
  constexpr std::size_t count = 40'000;
  for (const shape what : {shape::nearly_sorted, shape::runs, shape::pipe})
    for (const int last : {80'000, 100'000, 150'000, 250'000}) {
      std::vector<owned> all;
      for (const numbered& one : made(what, count)) all.push_back(std::make_unique<int>(static_cast<int>(one.key)));
      std::atomic<int> left{last};
      const ordering<owned> less = [&](const owned& a, const owned& b) {
        if (left.fetch_sub(1) == 0) throw std::runtime_error("comparison");
        return *a < *b;
      };
      try {
        runtime_.run([&] { parallel_stable_sort(all, less); });
      } catch (const std::runtime_error&) {
        EXPECT_LT(left.load(), 0);
      }
      EXPECT_EQ(std::count(all.begin(), all.end(), nullptr), 0) << last << " of shape " << static_cast<int>(what);
    }
}

/// Such ranges are common: a sorted one to which something was added. std::sort makes three times as many comparisons.
TEST_P(parallel_sort_with, compares_little_where_few_elements_are_out_of_order) {
  for (const std::size_t count : {std::size_t{3000}, std::size_t{16'000}, std::size_t{200'000}}) {
    std::vector<std::uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end() - 1, 10U);
    numbers.back() = 1;
    std::swap(numbers[1], numbers[count / 2]);
    std::atomic<std::size_t> comparisons{0};
    const ordering<std::uint32_t> counted = [&](std::uint32_t a, std::uint32_t b) {
      comparisons.fetch_add(1);
      return a < b;
    };
    runtime_.run([&] { parallel_sort(numbers, counted); });
    EXPECT_TRUE(std::ranges::is_sorted(numbers));
    EXPECT_LE(static_cast<double>(comparisons), static_cast<double>(count) * std::log2(count)) << count;
  }
}

/// The first 10,000 comparisons sort the sample and move nothing. Later ones may be std::sort's, which may lose the
/// element that it holds: one for each worker.
TEST_P(parallel_sort_with, keeps_all_elements_when_a_comparison_throws) {
  constexpr int count = 5'000;
  for (const int last : {0, 1, 500, 2'000, 4'990, 5'500, 20'000, 60'000}) {
    std::vector<std::unique_ptr<int>> all;
    for (int i = 0; i < count; ++i) all.push_back(std::make_unique<int>(i * 7919 % count));
    std::atomic<int> left{last};
    const ordering<owned> less = [&](const owned& a, const owned& b) {
      if (left.fetch_sub(1) == 0) throw std::runtime_error("comparison");
      return *a < *b;
    };
    const auto sort = [&] { parallel_sort(all, less, {.grain = 1}); };
    EXPECT_THROW(runtime_.run(sort), std::runtime_error) << last;
    std::vector<int> seen;
    for (const auto& one : all)
      if (one != nullptr) seen.push_back(*one);
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end()) << last;
    EXPECT_GE(seen.size(), static_cast<std::size_t>(last <= 5'500 ? count : count - 4)) << last;
  }
}

/// Counts how many live, and may throw while it is moved.
class fragile {
 public:
  explicit fragile(int key) : key_(key) { alive.fetch_add(1); }
  fragile(const fragile& from) : key_(from.key_) {
    if (moves_left.fetch_sub(1) == 0) throw std::runtime_error("move");
    alive.fetch_add(1);
  }
  fragile& operator=(const fragile& from) {
    if (moves_left.fetch_sub(1) == 0) throw std::runtime_error("move");
    key_ = from.key_;
    return *this;
  }
  ~fragile() { alive.fetch_sub(1); }
  friend bool operator<(const fragile& a, const fragile& b) { return a.key_ < b.key_; }

  static inline std::atomic<int> alive{0};
  static inline std::atomic<int> moves_left{0};

 private:
  int key_;
};

TEST_P(parallel_sort_with, leaves_no_element_behind_when_a_move_throws) {
  for (const int last : {-1, 0, 1'000, 7'000, 9'000, 12'000, 30'000}) {
    {
      std::vector<fragile> all;
      fragile::moves_left = -1;
      all.reserve(5'000);
      for (int i = 0; i < 5'000; ++i) all.emplace_back(i * 7919 % 5'000);
      fragile::moves_left = last;
      try {
        runtime_.run([&] { parallel_sort(all, std::less<>(), {.grain = 100}); });
        EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
      } catch (const std::runtime_error&) {
        EXPECT_GE(last, 0);
      }
      EXPECT_EQ(fragile::alive.load(), 5'000) << last;
    }
    EXPECT_EQ(fragile::alive.load(), 0) << last;
  }
}

TEST_P(parallel_sort_with, keeps_all_elements_when_it_is_cancelled) {
  for (const auto& [what, last] :
       {std::pair(shape::random, 0), std::pair(shape::random, 100), std::pair(shape::random, 15'000),
        std::pair(shape::random, 100'000), std::pair(shape::random, 300'000), std::pair(shape::nearly_sorted, 500),
        std::pair(shape::nearly_sorted, 40'000), std::pair(shape::nearly_sorted, 80'000)}) {
    nearfork::cancellation_source stop;
    std::vector<numbered> all = made(what, 30'000);
    const std::vector<numbered> given = all;
    std::atomic<int> left{last};
    const ordering<numbered> less = [&](const numbered& a, const numbered& b) {
      if (left.fetch_sub(1) == 0) stop.cancel();
      return a.key < b.key;
    };
    runtime_.run([&] { parallel_sort(all, less, {.grain = 0, .cancel = stop.token()}); });
    std::sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.place < b.place; });
    EXPECT_EQ(all, given) << last;
  }
}

TEST_P(parallel_sort_with, nests_in_loops) {
  std::vector<std::vector<int>> rows(20);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].resize(500 * i);
    std::iota(rows[i].rbegin(), rows[i].rend(), 0);
    std::swap_ranges(rows[i].begin(), rows[i].begin() + static_cast<std::ptrdiff_t>(rows[i].size() / 3),
                     rows[i].end() - static_cast<std::ptrdiff_t>(rows[i].size() / 3));
  }
  runtime_.run([&] { nearfork::parallel_for(rows, [](std::vector<int>& row) { parallel_sort(row); }); });
  for (const auto& row : rows) EXPECT_TRUE(std::is_sorted(row.begin(), row.end()));
}

}  // namespace

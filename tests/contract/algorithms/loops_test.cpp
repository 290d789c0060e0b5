// Loops with steps, over iterators, ranges and tiles; parallel_for_each; searches, transforms and folds: each element
// exactly once, the results of the sequential algorithms, exceptions and cancellation.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <forward_list>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::blocked_range;
using nearfork::blocked_range2d;
using nearfork::blocked_range3d;
using nearfork::parallel_for;
using nearfork::parallel_for_each;
using nearfork::test::with_workers;

class algorithms : public testing::TestWithParam<unsigned> {
 protected:
  nearfork::runtime runtime_{with_workers(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(workers, algorithms, testing::Values(1U, 4U));

using visits = std::vector<std::atomic<int>>;
void expect_once(const visits& all) {
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i].load(), 1) << i << " of " << all.size();
}

TEST_P(algorithms, loops_with_a_step_visit_what_the_serial_loop_visits) {
  for (const int last : {-7, 0, 1, 9, 10, 11, 1000})
    for (const int step : {1, 3, 10, 5000}) {
      std::vector<std::atomic<int>> up(2000), down(2000);
      runtime_.run([&] {
        parallel_for(-5, last, step, [&](int i) { up[static_cast<std::size_t>(i + 5)].fetch_add(1); });
        parallel_for(last, -5, -step, [&](int i) { down[static_cast<std::size_t>(i + 5)].fetch_add(1); });
      });
      for (int i = -5; i < last; i += step) up[static_cast<std::size_t>(i + 5)].fetch_sub(1);
      for (int i = last; i > -5; i -= step) down[static_cast<std::size_t>(i + 5)].fetch_sub(1);
      for (std::size_t i = 0; i < up.size(); ++i) ASSERT_TRUE(up[i] == 0 && down[i] == 0) << i << " by " << step;
    }
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  std::atomic<int> calls{0};
  runtime_.run([&] {
    parallel_for(-most, most, most / 4, [&](std::int64_t) { calls.fetch_add(1); });
    parallel_for(200U, 0U, -50, [&](unsigned i) { calls.fetch_add(i % 50 == 0 && i > 0 ? 1 : 100); });
  });
  EXPECT_EQ(calls.load(), 8 + 1 + 4);
  EXPECT_THROW(parallel_for(0, 10, 0, [](int) {}), nearfork::error);
}

TEST_P(algorithms, loops_over_iterators_and_ranges_visit_each_element_once) {
  for (const std::size_t length : {0UL, 1UL, 1000UL}) {
    visits by_iterator(length), by_piece(length), by_element(length), by_value(length);
    runtime_.run([&] {
      parallel_for(by_iterator.begin(), by_iterator.end(), [](auto it) { it->fetch_add(1); });
      nearfork::parallel_for_range(by_piece.begin(), by_piece.end(), [](auto lo, auto hi) {
        for (; lo != hi; ++lo) lo->fetch_add(1);
      });
      parallel_for(by_element, [](std::atomic<int>& visit) { visit.fetch_add(1); }, {.grain = 7});
      parallel_for(std::views::iota(std::size_t{0}, length), [&](std::size_t i) { by_value[i].fetch_add(1); });
    });
    for (const visits* all : {&by_iterator, &by_piece, &by_element, &by_value}) expect_once(*all);
  }
}

TEST_P(algorithms, tiles_cover_each_index_once_within_their_grain) {
  for (const int rows : {0, 1, 3, 100})
    for (const int cols : {0, 1, 37, 700})
      for (const std::size_t grain : {0UL, 1UL, 16UL}) {
        visits all(static_cast<std::size_t>(rows * cols));
        runtime_.run([&] {
          parallel_for(blocked_range2d<int>(-5, rows - 5, grain, 10, cols + 10, 2 * grain), [&](const auto& tile) {
            EXPECT_FALSE(tile.empty());
            EXPECT_TRUE(grain == 0 || (tile.rows().size() <= grain && tile.cols().size() <= 2 * grain));
            for (int i = tile.rows().begin(); i != tile.rows().end(); ++i)
              for (int j = tile.cols().begin(); j != tile.cols().end(); ++j)
                all[static_cast<std::size_t>((i + 5) * cols + j - 10)].fetch_add(1);
          });
        });
        expect_once(all);
      }
}

TEST_P(algorithms, cuboids_are_covered_and_folded) {
  const blocked_range3d<std::size_t> all(0, 9, 2, 0, 20, 0, 0, 33, 5);
  visits seen(9 * 20 * 33);
  const auto each = [](const blocked_range3d<std::size_t>& tile, auto&& act) {
    for (std::size_t p = tile.pages().begin(); p != tile.pages().end(); ++p)
      for (std::size_t r = tile.rows().begin(); r != tile.rows().end(); ++r)
        for (std::size_t c = tile.cols().begin(); c != tile.cols().end(); ++c) act((p * 20 + r) * 33 + c);
  };
  std::size_t sum = 0;
  runtime_.run([&] {
    parallel_for(all, [&](const auto& tile) { each(tile, [&](std::size_t i) { seen[i].fetch_add(1); }); });
    sum = nearfork::parallel_reduce(
        all, std::size_t{0},
        [&](const auto& tile, std::size_t so_far) {
          each(tile, [&](std::size_t i) { so_far += i; });
          return so_far;
        },
        std::plus<>());
  });
  expect_once(seen);
  EXPECT_EQ(sum, seen.size() * (seen.size() - 1) / 2);
}

RC_GTEST_PROP(tiling, cuts_any_box_into_parts_that_fill_it, ()) {
  const auto length = [] { return *rc::gen::inRange<std::size_t>(1, 40); };
  const auto grain = [] { return *rc::gen::inRange<std::size_t>(0, 9); };
  const blocked_range3d<std::size_t> box(0, length(), grain(), 0, length(), grain(), 0, length(), grain());
  const nearfork::detail::tiling tiles = nearfork::detail::tiling_of(box);
  std::size_t volume = 0;
  for (std::size_t i = 0; i < tiles.tiles(); ++i) {
    const auto tile = nearfork::detail::tile_of(box, tiles.tile(i));
    RC_ASSERT(!tile.empty());
    volume += tile.pages().size() * tile.rows().size() * tile.cols().size();
  }
  RC_ASSERT(volume == box.pages().size() * box.rows().size() * box.cols().size());

  // Boxes of several tiles hold just the tiles of these numbers.
  using position = nearfork::detail::tiling::box;
  const std::size_t lo = *rc::gen::inRange<std::size_t>(0, tiles.tiles());
  const std::size_t hi = *rc::gen::inRange<std::size_t>(lo, tiles.tiles()) + 1;
  std::vector<int> found(tiles.tiles());
  tiles.for_each_box(lo, hi, [&](const position& part) {
    const auto holds = [&](const position& tile) {
      for (std::size_t d = 0; d != 3; ++d)
        if (tile[d].first < part[d].first || tile[d].second > part[d].second) return false;
      return true;
    };
    for (std::size_t i = 0; i < tiles.tiles(); ++i) found[i] += holds(tiles.tile(i)) ? 1 : 0;
  });
  for (std::size_t i = 0; i < tiles.tiles(); ++i) RC_ASSERT(found[i] == (lo <= i && i < hi ? 1 : 0));
}

TEST_P(algorithms, for_each_visits_lists_of_any_length_once) {
  for (const std::size_t length : {0UL, 1UL, 100UL, 8192UL, 8193UL, 40'000UL}) {
    std::forward_list<std::atomic<int>> all;
    for (std::size_t i = 0; i < length; ++i) all.emplace_front(0);
    runtime_.run([&] { parallel_for_each(all, [](std::atomic<int>& visit) { visit.fetch_add(1); }); });
    for (const auto& visit : all) ASSERT_EQ(visit.load(), 1) << "of " << length;
  }
  const std::vector<int> numbers(1000, 2);
  std::atomic<int> sum{0};
  runtime_.run([&] { parallel_for_each(numbers.begin(), numbers.end(), [&](int n) { sum.fetch_add(n); }); });
  EXPECT_EQ(sum.load(), 2000);
}

TEST_P(algorithms, fed_items_are_done_once_in_trees_and_in_long_chains) {
  constexpr std::size_t nodes = 20'000;  // of a binary tree whose root is 1
  visits tree(nodes);
  runtime_.run([&] {
    parallel_for_each(std::vector<std::size_t>{1}, [&](std::size_t node, nearfork::feeder<std::size_t>& more) {
      tree[node - 1].fetch_add(1);
      for (const std::size_t child : {2 * node, 2 * node + 1})
        if (child <= nodes) more.add(child);
    });
  });
  expect_once(tree);
  constexpr int length = nearfork::test::sanitized ? 3'000 : 100'000;  // far deeper than a stack
  std::atomic<int> links{0};
  std::list<std::unique_ptr<int>> begins;
  for (int i = 0; i < 3; ++i) begins.push_back(std::make_unique<int>(0));
  runtime_.run([&] {
    parallel_for_each(begins, [&](std::unique_ptr<int>& at, nearfork::feeder<std::unique_ptr<int>>& more) {
      links.fetch_add(1);
      if (*at + 1 < length) more.add(std::make_unique<int>(*at + 1));
    });
  });
  EXPECT_EQ(links.load(), 3 * length);
}

TEST_P(algorithms, items_are_fed_from_a_range_whose_end_must_be_searched) {
  std::vector<int> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::atomic<int> done{0};
  runtime_.run([&] {
    parallel_for_each(numbers | std::views::take_while([](int n) { return n < 300; }),
                      [&](int n, nearfork::feeder<int>& more) {
                        done.fetch_add(1);
                        if (n > 0 && n < 300) more.add(-n);
                      });
  });
  EXPECT_EQ(done.load(), 300 + 299);
}

TEST_P(algorithms, feeding_ends_with_an_exception_or_a_cancellation) {
  nearfork::cancellation_source stop;
  const auto feed = [&](auto&& at_thousand) {
    std::atomic<int> done{0};
    const std::vector<int> begin{0};
    parallel_for_each(begin,
                      [&](int, nearfork::feeder<int>& more) {
                        if (done.fetch_add(1) == 1000) at_thousand();
                        more.add(0);
                        more.add(0);
                      },
                      {.cancel = stop.token()});
  };
  EXPECT_THROW(runtime_.run([&] { feed([] { throw std::runtime_error("body"); }); }), std::runtime_error);
  runtime_.run([&] { feed([&] { stop.cancel(); }); });
}

TEST_P(algorithms, searches_find_the_first_match) {
  for (const std::size_t length : {0UL, 1UL, 33UL, 100'000UL}) {
    std::vector<int> numbers(length, 0);
    EXPECT_EQ(nearfork::parallel_find(numbers, 1), numbers.end());
    for (const std::size_t at : {99'999UL, 99'998UL, 70'000UL, 64UL, 0UL}) {
      if (at >= length) continue;
      numbers[at] = 1;
      const auto found = runtime_.run([&] { return nearfork::parallel_find(numbers.begin(), numbers.end(), 1); });
      EXPECT_EQ(found - numbers.begin(), static_cast<std::ptrdiff_t>(at));
    }
  }
}

TEST_P(algorithms, searches_end_early_and_throw_only_what_comes_before_the_match) {
  std::atomic<std::size_t> looked{0};
  const auto numbers = std::views::iota(0, 1'000'000'000);
  runtime_.run([&] {
    const auto found = nearfork::parallel_find_if(numbers, [&](int n) { return looked.fetch_add(1), n == 10; });
    EXPECT_EQ(*found, 10);
    const auto throws_from = [&](int failing) {
      return *nearfork::parallel_find_if(numbers.begin(), numbers.begin() + 2000, [failing](int n) {
        return n >= failing ? throw std::runtime_error(std::to_string(n)) : n == 1000;
      });
    };
    EXPECT_EQ(throws_from(1001), 1000);
    EXPECT_THROW(throws_from(999), std::runtime_error);
  });
  EXPECT_LT(looked.load(), 500'000'000U);
  nearfork::cancellation_source stop;
  stop.cancel();
  EXPECT_EQ(nearfork::parallel_find(numbers, 10, {.cancel = stop.token()}), numbers.end());
}

TEST(parallel_find, takes_what_can_only_be_compared) {
  const std::vector<std::optional<int>> some{1, std::nullopt, 3};
  EXPECT_EQ(nearfork::parallel_find(some, std::nullopt) - some.begin(), 1);
  EXPECT_EQ(nearfork::parallel_find(some.begin(), some.end(), 3) - some.begin(), 2);
  std::vector<std::unique_ptr<int>> owners(5);
  owners[0] = std::make_unique<int>(7);
  EXPECT_EQ(nearfork::parallel_find(owners, nullptr) - owners.begin(), 1);
}

RC_GTEST_PROP(parallel_find, equals_std_find, (const std::vector<std::uint8_t>& given, std::uint8_t wanted)) {
  RC_ASSERT(nearfork::parallel_find(given, wanted, {.grain = *rc::gen::inRange<std::size_t>(0, 5)}) ==
            std::find(given.begin(), given.end(), wanted));
}

TEST_P(algorithms, transforms_write_each_element_also_in_place) {
  for (const std::size_t length : {0UL, 1UL, 10'000UL}) {
    std::vector<int> in(length), out(length), expected(length);
    std::iota(in.begin(), in.end(), 1);
    std::transform(in.begin(), in.end(), expected.begin(), [](int x) { return x * 3; });
    runtime_.run([&] {
      EXPECT_EQ(nearfork::parallel_transform(in, out.begin(), [](int x) { return x * 2; }), out.end());
      nearfork::parallel_transform(out.begin(), out.end(), in.begin(), out.begin(), std::plus<>());
    });
    EXPECT_EQ(out, expected);
  }
  std::vector<std::unique_ptr<int>> made(100);
  nearfork::parallel_transform(std::views::iota(0, 100), made.begin(), [](int i) { return std::make_unique<int>(i); });
  for (int i = 0; i < 100; ++i) EXPECT_EQ(*made[static_cast<std::size_t>(i)], i);
}

TEST_P(algorithms, folds_need_no_identity) {
  const auto longer = [](const std::string& a, const std::string& b) { return a.size() < b.size() ? b : a; };
  const auto joined = [](std::string a, const std::string& b) { return std::move(a) + b; };
  std::vector<std::string> words;
  for (int i = 0; i < 3000; ++i) words.push_back(std::to_string(i));
  runtime_.run([&] {
    EXPECT_EQ(nearfork::parallel_reduce(std::vector<std::string>(), longer), std::nullopt);
    EXPECT_EQ(nearfork::parallel_reduce(3, 3, [](int i) { return i; }, std::plus<>()), std::nullopt);
    EXPECT_EQ(nearfork::parallel_reduce(3, 4, [](int i) { return i; }, std::plus<>()), 3);
    EXPECT_EQ(nearfork::parallel_reduce(words, longer), "1000");
    EXPECT_EQ(nearfork::parallel_reduce(words, joined), std::accumulate(words.begin(), words.end(), std::string()));
    EXPECT_EQ(nearfork::parallel_reduce(words, std::string("<"), joined).substr(0, 3), "<01");
    const nearfork::loop_options by_ten{.grain = 10};
    EXPECT_EQ(nearfork::parallel_reduce(0, 1000, [](int i) { return i; }, std::plus<>(), by_ten), 499'500);
    const auto last = nearfork::parallel_reduce(
        0, 1000, [](int i) { return std::make_unique<int>(i); }, [](auto, auto right) { return right; });
    EXPECT_EQ(**last, 999);
  });
}

TEST_P(algorithms, scans_take_ranges) {
  std::vector<long> ones(1000, 1), sums(1000);
  runtime_.run([&] { nearfork::parallel_scan_inclusive(ones, sums.begin(), 0L, std::plus<>()); });
  EXPECT_EQ(sums.back(), 1000);
  runtime_.run([&] { nearfork::parallel_scan_exclusive(ones, sums.begin(), 0L, std::plus<>()); });
  EXPECT_EQ(sums.back(), 999);
}

TEST_P(algorithms, blocked_ranges_may_be_of_iterators) {
  std::vector<int> ones(1000, 1);
  std::deque<int> twos(500, 2);
  runtime_.run([&] {
    int* const first = ones.data();
    parallel_for(blocked_range<int*>(first, first + ones.size()), [](const blocked_range<int*>& piece) {
      for (int* each = piece.begin(); each != piece.end(); ++each) *each += 1;
    });
    const auto sum = nearfork::parallel_reduce(
        blocked_range(twos.cbegin(), twos.cend(), 7), 0,
        [](const auto& piece, int so_far) {
          EXPECT_LE(piece.size(), 7U);
          return std::accumulate(piece.begin(), piece.end(), so_far);
        },
        std::plus<>());
    EXPECT_EQ(sum, 1000);
    parallel_for(blocked_range(first, first), [](const auto&) { FAIL() << "there is nothing to do"; });
  });
  EXPECT_EQ(std::accumulate(ones.begin(), ones.end(), 0), 2000);
}

/// How many leaves a reduction to a `Value` has. Each has a copy of the identity.
template <class Value>
int leaves_of_reduction(std::size_t count) {
  std::atomic<int> leaves{0};
  (void)nearfork::parallel_reduce_range(
      std::size_t{0}, count, Value{},
      [&](std::size_t, std::size_t, const Value& so_far) { return leaves.fetch_add(1), so_far; },
      [](Value left, const Value&) { return left; });
  return leaves;
}

TEST_P(algorithms, reductions_to_large_values_have_few_leaves) {
  runtime_.run([] {
    EXPECT_GT(leaves_of_reduction<double>(100'000), 500);
    EXPECT_LE((leaves_of_reduction<std::array<double, 4>>(100'000)), 512);
    EXPECT_LE((leaves_of_reduction<std::array<double, 64>>(100'000)), 128);
    EXPECT_EQ((leaves_of_reduction<std::array<double, 1024>>(100'000)), 32);
  });
}

TEST_P(algorithms, invoke_calls_each_callable_once) {
  std::atomic<int> calls{0};
  const auto one = [&] { return calls.fetch_add(1); };
  runtime_.run([&] {
    nearfork::parallel_invoke(one);
    nearfork::parallel_invoke(one, one);
    nearfork::parallel_invoke(one, one, one, [&] { calls.fetch_add(10); });
  });
  EXPECT_EQ(calls.load(), 16);
}

TEST_P(algorithms, loops_of_all_kinds_throw_and_stop_when_cancelled) {
  const blocked_range2d<int> square(0, 100, 1, 0, 100, 1);
  std::list<int> list(1000, 0);
  std::vector<int> vector(1000, 0);
  const auto in_each_loop = [&](auto&& body, const nearfork::loop_options& options) {
    const std::function<void()> loops[] = {
        [&] { parallel_for(square, [&](const auto&) { body(); }, options); },
        [&] { parallel_for(0, 10'000, 10, [&](int) { body(); }, options); },
        [&] { parallel_for(vector, [&](int) { body(); }, options); },
        [&] { parallel_for_each(list, [&](int) { body(); }, options); },
        [&] { nearfork::parallel_transform(vector, vector.begin(), [&](int) { return body(), 1; }, options); }};
    for (const auto& loop : loops) runtime_.run([&] { EXPECT_NO_THROW(loop()); });
  };
  nearfork::cancellation_source stop;
  stop.cancel();
  in_each_loop([] { FAIL() << "a cancelled loop began a body"; }, {.cancel = stop.token()});
  EXPECT_THROW(parallel_for(square, [](const auto&) { throw std::runtime_error("tile"); }), std::runtime_error);
  EXPECT_THROW(parallel_for_each(list, [](int) { throw std::runtime_error("element"); }), std::runtime_error);
}

}  // namespace

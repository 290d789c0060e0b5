// Tasks of groups whose closures have up to twenty words: they lie in cells of two sizes, or on the heap.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::task_group;
using nearfork::test::with_workers;

template <std::size_t Words>
struct words {
  std::uint64_t at[Words];
  explicit words(std::uint64_t first) { std::iota(std::begin(at), std::end(at), first); }
  [[nodiscard]] bool begin_with(std::uint64_t first) const {
    for (std::size_t i = 0; i < Words; ++i)
      if (at[i] != first + i) return false;
    return true;
  }
};

class closures_of_a_group : public testing::TestWithParam<unsigned> {
 protected:
  nearfork::runtime runtime_{with_workers(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(workers, closures_of_a_group, testing::Values(1U, 2U, 5U));

/// More tasks than slots have a wide cell, and than a deque holds.
constexpr std::size_t flat_tasks = 9'000;

template <std::size_t Words>
void spawn_flat(std::vector<std::atomic<int>>& runs) {
  task_group group;
  for (std::size_t i = 0; i < flat_tasks; ++i)
    group.spawn([&run = runs[i], i, held = words<Words>(i)] { run.fetch_add(held.begin_with(i) ? 1 : 1000); });
  group.sync();
}

TEST_P(closures_of_a_group, arrive_whole_and_once_in_any_width) {
  [this]<std::size_t... Widths>(std::index_sequence<Widths...>) {
    (runtime_.run([] {
      std::vector<std::atomic<int>> runs(flat_tasks);
      spawn_flat<Widths + 1>(runs);
      for (const auto& run : runs) ASSERT_EQ(run.load(), 1) << Widths + 1 << " words";
    }),
     ...);
  }(std::make_index_sequence<18>());
}

/// Widths differ from one level to the next, and each level has an older task in the deque while the younger run.
template <std::size_t Words>
std::uint64_t leaves_below(int depth, words<Words> given) {
  if (!given.begin_with(static_cast<std::uint64_t>(depth))) return 1'000'000;
  if (depth == 0) return 1;
  constexpr std::size_t next = Words % 16 + 1;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  task_group group;
  group.spawn([&first, depth, given] {
    first = given.begin_with(static_cast<std::uint64_t>(depth))
                ? leaves_below(depth - 1, words<next>(static_cast<std::uint64_t>(depth) - 1))
                : 1'000'000;
  });
  group.spawn([&second, depth, given, tail = words<2>(7)] {
    second = given.begin_with(static_cast<std::uint64_t>(depth)) && tail.begin_with(7)
                 ? leaves_below(depth - 1, words<next>(static_cast<std::uint64_t>(depth) - 1))
                 : 1'000'000;
  });
  const std::uint64_t third = leaves_below(depth - 1, words<next>(static_cast<std::uint64_t>(depth) - 1));
  group.sync();
  return first + second + third;
}

TEST_P(closures_of_a_group, arrive_whole_in_a_recursion) {
  constexpr int depth = 8;
  EXPECT_EQ(runtime_.run([] { return leaves_below(depth, words<3>(depth)); }), 6561U);
}

TEST_P(closures_of_a_group, of_many_words_are_ended_once_where_the_program_has_code_for_it) {
  const std::string longer_than_a_word(100, 'x');
  std::atomic<std::size_t> bytes{0};
  runtime_.run([&] {
    task_group group;
    for (int i = 0; i < 1000; ++i)
      group.spawn([&bytes, longer_than_a_word, held = words<6>(1)] {
        bytes.fetch_add(held.begin_with(1) ? longer_than_a_word.size() : 0);
      });
    group.sync();
  });
  EXPECT_EQ(bytes.load(), 100'000U);
}

TEST_P(closures_of_a_group, of_many_words_are_dropped_when_the_group_is_cancelled) {
  std::atomic<int> ran{0};
  runtime_.run([&] {
    task_group group;
    for (int i = 0; i < 3000; ++i)
      group.spawn([&ran, &group, i, held = words<9>(5)] {
        if (i == 2999) group.cancel();
        ran.fetch_add(held.begin_with(5) ? 1 : 1'000'000);
      });
    group.sync();
  });
  EXPECT_GE(ran.load(), 1);
  EXPECT_LE(ran.load(), 3000);
}

}  // namespace

// Tasks of groups whose closures have up to twenty words: they lie in cells of two sizes, or on the heap.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
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
    for (int i = 0; i < 4000; ++i)
      group.spawn([&bytes, longer_than_a_word, held = words<6>(1)] {
        bytes.fetch_add(held.begin_with(1) ? longer_than_a_word.size() : 0);
      });
    group.sync();
  });
  EXPECT_EQ(bytes.load(), 400'000U);
}

/// Groups run while it is copied, moved and ended, with tasks of both sizes.
struct value_of_tasks {
  explicit value_of_tasks(std::atomic<int>& ended) : ended_(&ended) {}
  value_of_tasks(const value_of_tasks& other) : first(copied_by_tasks(other.first)), ended_(other.ended_) {}
  value_of_tasks(value_of_tasks&& other) noexcept : first(copied_by_tasks(other.first)), ended_(other.ended_) {}
  ~value_of_tasks() { ended_->fetch_add(copied_by_tasks(1)); }
  value_of_tasks& operator=(const value_of_tasks&) = delete;
  int first = 3;

 private:
  static int copied_by_tasks(int from) {
    int small = 0;
    int wide = 0;
    task_group both;
    both.spawn([&wide, from, held = words<8>(2)] { wide = held.begin_with(2) ? from : 1000; });
    both.spawn([&small, from] { small = from; });
    both.sync();
    return small == wide ? small : 1000;
  }
  std::atomic<int>* ended_;
};

template <std::size_t Words>
int sum_of_such_values() {
  std::atomic<int> sum{0}, ended{0};
  const value_of_tasks made(ended);
  const auto add = [made, &sum, held = words<Words>(4)] { sum.fetch_add(held.begin_with(4) ? made.first : 1000); };
  task_group all;
  for (int i = 0; i < 50; ++i) all.spawn(add);
  for (int i = 0; i < 50; ++i)
    all.spawn([moved = value_of_tasks(ended), &sum, held = words<Words>(6)] {
      sum.fetch_add(held.begin_with(6) ? moved.first : 1000);
    });
  all.sync();
  return ended.load() >= 100 ? sum.load() : 0;
}

TEST_P(closures_of_a_group, may_use_groups_when_they_are_copied_moved_and_ended) {
  runtime_.run([] {
    EXPECT_EQ(sum_of_such_values<1>(), 300);
    EXPECT_EQ(sum_of_such_values<6>(), 300);
    EXPECT_EQ(sum_of_such_values<9>(), 300);
    EXPECT_EQ(sum_of_such_values<12>(), 300);
  });
}

/// As vectors of numbers are.
template <std::size_t Bytes>
struct alignas(Bytes) aligned {
  double at[2];
};
template <std::size_t Bytes>
void expect_aligned() {
  std::atomic<int> right{0};
  task_group group;
  for (int i = 0; i < 3000; ++i)
    group.spawn([&right, i, held = aligned<Bytes>{{1.0 * i, 2.0}}] {
      const bool lies_right = reinterpret_cast<std::uintptr_t>(&held) % Bytes == 0;
      right.fetch_add(lies_right && held.at[0] == i && held.at[1] == 2.0 ? 1 : 0);
    });
  group.sync();
  EXPECT_EQ(right.load(), 3000) << Bytes;
}

TEST_P(closures_of_a_group, lie_at_their_alignment) {
  runtime_.run([] {
    expect_aligned<16>();
    expect_aligned<32>();
    expect_aligned<64>();
    expect_aligned<128>();
    expect_aligned<4096>();
  });
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

/// Of any size, on the heap: from the pools, and larger than any block of theirs.
template <std::size_t Bytes>
void expect_to_arrive(std::size_t tasks) {
  std::atomic<std::size_t> right{0};
  task_group group;
  for (std::size_t i = 0; i < tasks; ++i) {
    std::array<unsigned char, Bytes> held{};
    held.front() = held.back() = static_cast<unsigned char>(i);
    group.spawn([&right, i, held] { right.fetch_add(held.front() == i % 256 && held.back() == i % 256 ? 1 : 0); });
  }
  group.sync();
  EXPECT_EQ(right.load(), tasks) << Bytes;
}

TEST_P(closures_of_a_group, may_be_large) {
  const auto spawn_them = [] {
    expect_to_arrive<200>(1000);
    expect_to_arrive<5'000>(100);
    expect_to_arrive<100'000>(20);
  };
  runtime_.run(spawn_them);
  spawn_them();  // from a thread outside
}

/// Counts those that live, and throws when it is copied once too often.
struct copied_so_often {
  copied_so_often(std::atomic<int>& live, int copies) : live_(&live), copies_left_(copies) { ++live; }
  copied_so_often(const copied_so_often& other) : live_(other.live_), copies_left_(other.copies_left_ - 1) {
    if (copies_left_ < 0) throw std::runtime_error("one copy too many");
    ++*live_;
  }
  ~copied_so_often() { --*live_; }
  copied_so_often& operator=(const copied_so_often&) = delete;

 private:
  std::atomic<int>* live_;
  int copies_left_;
};

TEST_P(closures_of_a_group, whose_copies_throw_are_not_spawned) {
  std::atomic<int> live{0};
  std::atomic<int> ran{0};
  int refused = 0;
  runtime_.run([&] {
    task_group group;
    for (int copies = 0; copies < 6; ++copies) {
      const auto task = [&ran, held = copied_so_often(live, copies)] { ++ran; };
      try {
        group.spawn(task);
      } catch (const std::runtime_error&) {
        ++refused;
      }
    }
    group.sync();
  });
  EXPECT_GE(refused, 1);
  EXPECT_EQ(ran.load() + refused, 6);
  EXPECT_EQ(live.load(), 0);
}

}  // namespace

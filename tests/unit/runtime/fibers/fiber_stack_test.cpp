#include "runtime/fibers/fiber_stack.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/address_space.hpp"

namespace nearfork {
namespace {

using test::has_many_addresses;

constexpr std::size_t mib = std::size_t{1} << 20;

struct reach {
  std::byte* low;  // of the guard
  std::byte* high;
};

/// `many` spans of one arena: each is aligned, has the requested stack, and lies apart, with its guard, from all
/// others.
std::vector<stack_arena::span> checked_spans(stack_arena& arena, std::size_t stack_bytes, std::size_t many) {
  std::vector<stack_arena::span> spans;
  std::vector<reach> taken;
  for (std::size_t i = 0; i < many; ++i) {
    const stack_arena::span one = spans.emplace_back(arena.allocate());
    if (one.record == nullptr) break;
    auto* const end = static_cast<std::byte*>(one.record) + detail::fiber_record_bytes;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(end) % arena.span_bytes(), 0U);
    EXPECT_GE(one.stack.bytes(), stack_bytes);
    EXPECT_LE(static_cast<std::size_t>(end - one.stack.low), arena.span_bytes());
    taken.push_back({one.stack.low - one.stack.guard_bytes, end});
  }
  std::sort(taken.begin(), taken.end(), [](const reach& a, const reach& b) { return a.low < b.low; });
  for (std::size_t i = 1; i < taken.size(); ++i) EXPECT_GE(taken[i].low, taken[i - 1].high);
  return spans;
}

class stack_arena_of : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(kib, stack_arena_of, testing::Values(16, 8192, 15360, 16384, 102'400, 1'048'576),
                         [](const auto& given) { return std::to_string(given.param); });

TEST_P(stack_arena_of, so_many_kib_gives_the_first_fibers_full_guards) {
  stack_arena arena(GetParam() << 10);
  for (const stack_arena::span& one : checked_spans(arena, GetParam() << 10, 100)) {
    ASSERT_NE(one.record, nullptr);
    EXPECT_GE(one.stack.guard_bytes, has_many_addresses() ? full_guard_bytes : std::size_t{64} << 10);
    *one.stack.low = *static_cast<std::byte*>(one.record) = std::byte{1};
  }
  EXPECT_EQ(arena.counts().made, 100U);
  EXPECT_EQ(arena.counts().unguarded, 0U);
  EXPECT_GT(arena.peak_bytes(), 0U);
}

// A process may have few mappings. When they run out, the kernel marks pages as a guard, or there is no guard.
TEST(stack_arena, gives_later_fibers_less) {
  if (!has_many_addresses()) GTEST_SKIP() << "skipped: few addresses here";
  constexpr std::size_t many = 17'000;
  stack_arena arena(8 * mib);
  const auto spans = checked_spans(arena, 8 * mib, many);
  ASSERT_EQ(spans.size(), many);
  ASSERT_NE(spans.back().record, nullptr);
  for (std::size_t i = 1; i < many; ++i)
    EXPECT_LE(spans[i].stack.guard_bytes, spans[i - 1].stack.guard_bytes + 2 * mib);
  EXPECT_GE(spans[1000].stack.guard_bytes, full_guard_bytes);
  EXPECT_GE(spans[10'000].stack.guard_bytes, 7 * mib);
  const stack_arena::census counts = arena.counts();
  EXPECT_EQ(counts.made, many);
  EXPECT_GE(counts.small_guard + counts.unguarded, 12'000U);
  // A stack whose guard is marked pages is usable, too.
  *spans.back().stack.low = *static_cast<std::byte*>(spans.back().record) = std::byte{1};
}

TEST(stack_arena, gives_what_it_took_back) {
  for (int round = 0; round < 100; ++round) {
    stack_arena arena(std::size_t{1} << 30);
    for (int i = 0; i < 50; ++i) ASSERT_NE(arena.allocate().record, nullptr);
  }
  stack_arena arena(8 * mib);
  const stack_arena::span one = arena.allocate();
  EXPECT_TRUE(one.stack.guard_bytes >= full_guard_bytes || !has_many_addresses());
}

TEST(stack_arena, counts_what_was_touched_in_a_large_stack) {
  stack_arena arena(std::size_t{1} << 30);
  const stack_arena::span one = arena.allocate();
  ASSERT_NE(one.record, nullptr);
  std::byte* const high = one.stack.high;
  for (const std::size_t down : {std::size_t{1}, 100 * mib, 900 * mib}) *(high - down) = std::byte{1};
  const std::uint64_t touched = arena.peak_bytes();
  EXPECT_GE(touched, 3U * 4096);
  EXPECT_LE(touched, 3U * 65536);
  arena.drop_pages(one.record, one.stack);
  EXPECT_EQ(*(high - 900 * mib), std::byte{0});
  EXPECT_EQ(arena.peak_bytes(), touched);
}

}  // namespace
}  // namespace nearfork

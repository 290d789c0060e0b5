#include "sim/memory/line_cache.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "listed_cache.hpp"

namespace nearfork::sim {
namespace {

TEST(line_cache, holds_what_was_used_last) {
  line_cache cache(4, 2);  // two rows: even lines, odd lines
  EXPECT_FALSE(cache.touch(0).hit);
  EXPECT_FALSE(cache.touch(2).hit);
  EXPECT_TRUE(cache.touch(0).hit);
  EXPECT_EQ(cache.touch(1).evicted, line_cache::no_line) << "another row";
  EXPECT_EQ(cache.touch(4).evicted, 2U) << "0 was used after 2";
  EXPECT_TRUE(cache.touch(0).hit);
  EXPECT_FALSE(cache.touch(2).hit);
}

TEST(line_cache, a_removed_line_leaves_room) {
  line_cache cache(2, 2);
  (void)cache.touch(7);
  (void)cache.touch(8);
  EXPECT_TRUE(cache.remove(7));
  EXPECT_FALSE(cache.remove(7));
  EXPECT_EQ(cache.touch(9).evicted, line_cache::no_line);
  EXPECT_TRUE(cache.touch(8).hit);
}

TEST(line_cache, has_rows_of_as_many_ways_as_fit) {
  EXPECT_EQ(line_cache(6 << 14, 16).sets(), 6144U);
  EXPECT_EQ(line_cache(4, 16).ways(), 4U);
  EXPECT_EQ(line_cache(0, 16).ways(), 1U);
  EXPECT_EQ(line_cache(0, 16).sets(), 1U);
}

// Rows are wide if nothing is known of the lines, or if there are too many of them; else narrow.
RC_GTEST_PROP(line_cache, does_as_a_list_would, ()) {
  const auto ways = *rc::gen::element<std::uint32_t>(1, 2, 3, 8, 16, 16, 16, 24, 48);
  const auto sets = *rc::gen::element<std::uint32_t>(1, 2, 3, 4);
  const std::uint32_t used = ways * sets * 2;
  const auto line_end = *rc::gen::elementOf(std::vector<std::uint32_t>{
      line_cache::no_line, used, 65'532 * sets, 65'533 * sets, 65'534 * sets, 65'535 * sets, 65'536 * sets});
  const std::uint32_t first = line_end - used;
  line_cache cache(std::uint64_t{ways} * sets, ways, line_end);
  listed_cache expected(sets, ways);
  const auto lines =
      *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(first, first + used));
  for (const std::uint32_t line : lines) {
    if (line % 7 == 6) {
      RC_ASSERT(cache.remove(line) == expected.remove(line));
      continue;
    }
    RC_ASSERT(cache.holds(line) == expected.holds(line));
    if (line % 3 == 2 && !expected.holds(line)) {
      const std::uint32_t last = cache.last_of_row(line);
      RC_ASSERT(cache.insert(line) == last);
      RC_ASSERT(last == expected.touch(line).evicted);
      continue;
    }
    const auto got = cache.touch(line);
    const auto wanted = expected.touch(line);
    RC_ASSERT(got.hit == wanted.hit);
    RC_ASSERT(got.evicted == wanted.evicted);
  }
}

/// The lines of `which` by number, so that single lines can be compared with runs.
std::vector<std::uint32_t> lines_of(std::uint32_t first, line_mask which) {
  std::vector<std::uint32_t> lines;
  for_each_of(which, [&](std::uint32_t i) { lines.push_back(first + i); });
  return lines;
}

// Rows begin anew within some of the runs.
RC_GTEST_PROP(line_cache, does_with_runs_as_with_each_line, ()) {
  const auto ways = *rc::gen::element<std::uint32_t>(1, 2, 4, 8, 12, 16, 24, 48);
  const auto sets = *rc::gen::element<std::uint32_t>(4, 6, 24, 64);
  const std::uint32_t used = ways * sets * 2;
  const auto line_end = *rc::gen::elementOf(std::vector<std::uint32_t>{line_cache::no_line, used});
  line_cache runs(std::uint64_t{ways} * sets, ways, line_end);
  line_cache single(std::uint64_t{ways} * sets, ways, line_end);
  const auto choices = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 0x7fffffff));
  for (const std::uint32_t choice : choices) {
    const std::uint32_t first = line_end - used + choice / 4 % (used - sets + 1);
    const line_mask which = (choice * std::uint64_t{0x9e3779b97f4a7c15} | choice) & first_lines(sets);
    std::vector<std::uint32_t> evicted(most_in_run, 0);
    line_mask told = 0;
    const line_mask held = runs.held_of_run(first, which);
    for (const std::uint32_t line : lines_of(first, which))
      RC_ASSERT(single.holds(line) == ((held >> (line - first) & 1) != 0));
    if (choice % 4 == 0) {
      told = runs.remove_run(first, which);
      for (const std::uint32_t line : lines_of(first, which))
        RC_ASSERT(single.remove(line) == ((told >> (line - first) & 1) != 0));
      continue;
    }
    const line_mask missing = which & ~held;
    if (choice % 4 == 1) runs.insert_run(first, missing, evicted.data());
    else told = runs.touch_run(first, which, evicted.data());
    for (const std::uint32_t line : lines_of(first, choice % 4 == 1 ? missing : which)) {
      const auto wanted = single.touch(line);
      RC_ASSERT(wanted.hit == ((told >> (line - first) & 1) != 0));
      if (!wanted.hit) RC_ASSERT(evicted[line - first] == wanted.evicted);
    }
  }
}

}  // namespace
}  // namespace nearfork::sim

#include "runtime/cells/data_cells.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace nearfork {
namespace {

/// Cells that count their cuts: the second half keeps what the first has.
class cells_under_test {
 public:
  /// Notes `value` for the bytes, in the cells and in an array of single bytes.
  void write(std::uintptr_t begin, std::uintptr_t end, std::uint32_t value, bool merge) {
    const auto& covered = cells_.cover(begin, end);
    ASSERT_FALSE(covered.empty());
    EXPECT_EQ(covered.back()->end, end);
    for (std::size_t i = 0; i < covered.size(); ++i) {
      EXPECT_EQ(covered[i]->begin, i == 0 ? begin : covered[i - 1]->end);
      for (auto at = covered[i]->begin; at < covered[i]->end; ++at) EXPECT_EQ(covered[i]->group.count, bytes_[at]);
      covered[i]->group.count = value;
    }
    if (merge) cells_.merge(covered);
    for (auto at = begin; at < end; ++at) bytes_[at] = value;
  }
  /// Drops the cells with such values; of none: all.
  void drop(std::uint32_t divisor) {
    const auto forget = [&](const data_cell& one) {
      for (auto at = one.begin; at < one.end; ++at) bytes_[at] = 0;
    };
    if (divisor == 0) return cells_.drop_all(forget);
    cells_.drop_if([&](const data_cell& one) {
      if (one.group.count % divisor != 0) return false;
      forget(one);
      return true;
    });
  }
  [[nodiscard]] data_cells& cells() { return cells_; }

 private:
  static void copy(void*, data_cell& from, data_cell& to) { to.group.count = from.group.count; }
  web_memory memory_;
  cell_store store_{memory_};
  data_cells cells_{&copy, nullptr, store_};
  std::map<std::uintptr_t, std::uint32_t> bytes_;
};

TEST(data_cells, keep_for_each_byte_what_was_noted_last) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::uintptr_t n) {
      return std::uniform_int_distribution<std::uintptr_t>(0, n - 1)(random);
    };
    cells_under_test tested;
    std::uintptr_t begin = 0;
    const std::uintptr_t all = seed < 30 ? 300 : 10'000;  // some 40 cells, or some 1000: leaves of the index are split
    for (std::uint32_t step = 1; step <= all / 2; ++step) {
      const std::uintptr_t length = 1 + below(seed < 30 ? 60 : 20);
      begin = seed % 2 == 0 || begin > all ? below(all) : begin + below(2 * length);  // anywhere, or mostly onwards
      tested.write(begin, begin + length, step, below(3) == 0);
      if (testing::Test::HasFatalFailure()) return;
      if (below(20) == 0) tested.drop(static_cast<std::uint32_t>(below(4)));
    }
  }
}

TEST(data_cells, find_exactly_the_same_bytes_again) {
  cells_under_test tested;
  for (std::uintptr_t at = 0; at < 1000; ++at) tested.write(at * 8, at * 8 + 8, 1, false);
  for (std::uintptr_t at = 0; at < 1000; ++at) {
    ASSERT_NE(tested.cells().find_exact(at * 8, at * 8 + 8), nullptr);
    EXPECT_EQ(tested.cells().find_exact(at * 8, at * 8 + 4), nullptr);
  }
  tested.write(0, 8000, 2, true);
  EXPECT_EQ(tested.cells().size(), 1U);
  EXPECT_EQ(tested.cells().find_exact(8, 16), nullptr);
  EXPECT_NE(tested.cells().find_exact(0, 8000), nullptr);
}

TEST(data_cells, find_theirs_again_after_many_more) {
  cells_under_test tested;
  for (const std::uintptr_t count : {5U, 20'000U, 7U, 3U, 0U, 300U}) {
    for (std::uintptr_t at = 0; at < count; ++at) tested.write(at * 8, at * 8 + 8, 1, false);
    for (std::uintptr_t at = 0; at < count; ++at) ASSERT_NE(tested.cells().find_exact(at * 8, at * 8 + 8), nullptr);
    EXPECT_EQ(tested.cells().find_exact(count * 8, count * 8 + 8), nullptr);
    if (count == 7) tested.drop(1);
    else tested.drop(0);
    EXPECT_EQ(tested.cells().size(), 0U);
  }
}

TEST(data_cells, drop_what_is_not_wanted_any_more) {
  cells_under_test tested;
  for (std::uintptr_t at = 0; at < 100; ++at)
    tested.write(at * 8, at * 8 + 8, static_cast<std::uint32_t>(at % 2), false);
  tested.cells().drop_if([](const data_cell& each) { return each.group.count == 0; });
  EXPECT_EQ(tested.cells().size(), 50U);
  EXPECT_EQ(tested.cells().find_exact(0, 8), nullptr);
  EXPECT_NE(tested.cells().find_exact(8, 16), nullptr);
}

}  // namespace
}  // namespace nearfork

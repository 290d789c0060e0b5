#include "runtime/cells/access_ranges.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace nearfork {
namespace {

using bytes = std::pair<std::uintptr_t, std::uintptr_t>;

/// The ranges that meet, sorted.
std::vector<bytes> found_by(access_ranges& ranges, const bytes& in) {
  std::vector<bytes> found;
  ranges.for_each_that_meets(in.first, in.second,
                             [&](const access_range& one) { found.emplace_back(one.begin, one.end); });
  std::ranges::sort(found);
  return found;
}

TEST(access_ranges, find_those_that_share_a_byte_among_random_ones) {
  std::mt19937 random(1);
  const auto some_bytes = [&](unsigned longest) -> bytes {
    const auto begin = static_cast<std::uintptr_t>(random() % 200);
    return {begin, begin + 1 + random() % longest};
  };
  for (unsigned round = 0; round < 200; ++round) {
    const unsigned longest = 1 + round % 40;
    std::vector<bytes> all(random() % 30);
    access_ranges ranges;
    for (bytes& each : all) {
      each = some_bytes(longest);
      ranges.add({each.first, each.second});
    }
    ranges.sort();
    for (unsigned i = 0; i < 20; ++i) {
      const bytes asked = some_bytes(longest);
      std::vector<bytes> met;
      for (const bytes& each : all)
        if (each.first < asked.second && asked.first < each.second) met.push_back(each);
      std::ranges::sort(met);
      ASSERT_EQ(found_by(ranges, asked), met) << "round " << round;
      ASSERT_EQ(ranges.any_meets(asked.first, asked.second), !met.empty()) << "round " << round;
    }
  }
}

/// Each byte comes once, on the side where it belongs.
RC_GTEST_PROP(access_ranges, cut_at_the_ends_of_those_that_meet, ()) {
  access_ranges ranges;
  std::vector<bool> covered(64, false);
  for (auto left = *rc::gen::inRange(0, 8); left > 0; --left) {
    const auto begin = *rc::gen::inRange<std::uintptr_t>(0, 60);
    const auto end = *rc::gen::inRange<std::uintptr_t>(begin + 1, 64);
    ranges.add({begin, end});
    for (auto i = begin; i != end; ++i) covered[i] = true;
  }
  ranges.sort();
  const auto begin = *rc::gen::inRange<std::uintptr_t>(0, 60);
  const auto end = *rc::gen::inRange<std::uintptr_t>(begin + 1, 64);
  std::vector<int> seen(64, 0);
  const auto see = [&](bool inside) {
    return [&, inside](std::uintptr_t from, std::uintptr_t to) {
      RC_ASSERT(from < to);
      for (auto i = from; i != to; ++i) {
        RC_ASSERT(covered[i] == inside);
        ++seen[i];
      }
    };
  };
  ranges.cut(begin, end, see(true), see(false));
  for (std::uintptr_t i = 0; i != 64; ++i) RC_ASSERT(seen[i] == (i >= begin && i < end ? 1 : 0));
}

}  // namespace
}  // namespace nearfork

#include "plan/search/index_set.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <vector>

namespace nearfork {
namespace {

TEST(index_set, counts_each_member_once) {
  index_set some(70);
  EXPECT_TRUE(some.empty());
  some.insert(69);
  some.insert(69);
  some.insert(0);
  EXPECT_EQ(some.size(), 2U);
  some.erase(5);
  some.erase(69);
  some.erase(69);
  EXPECT_EQ(some.size(), 1U);
  EXPECT_TRUE(some.contains(0));
  EXPECT_FALSE(some.contains(69));
}

TEST(index_set, has_nothing_beyond_its_end) {
  index_set some(64);
  some.insert(63);
  EXPECT_EQ(some.next(63), 63U);
  EXPECT_EQ(some.next(64), index_set::none);
  EXPECT_EQ(index_set(0).next(0), index_set::none);
}

RC_GTEST_PROP(index_set, is_walked_as_a_sorted_list_would, ()) {
  const std::uint32_t end = *rc::gen::inRange<std::uint32_t>(1, 300);
  const auto numbers = *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, end));
  index_set some(end);
  std::set<std::uint32_t> expected;
  for (const std::uint32_t one : numbers) {
    if (*rc::gen::inRange(0, 4) == 0) {
      some.erase(one);
      expected.erase(one);
    } else {
      some.insert(one);
      expected.insert(one);
    }
  }
  RC_ASSERT(some.size() == expected.size());
  std::vector<std::uint32_t> walked;
  for (std::uint32_t at = some.next(0); at != index_set::none; at = some.next(at + 1)) walked.push_back(at);
  RC_ASSERT(walked == std::vector<std::uint32_t>(expected.begin(), expected.end()));
}

}  // namespace
}  // namespace nearfork

#include "plan/profile/iteration_digest.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace nearfork {
namespace {

iteration_digest of(std::initializer_list<std::uint64_t> durations) {
  iteration_digest digest;
  for (const auto ns : durations) digest.add(ns);
  return digest;
}

TEST(iteration_digest, sorts_the_first_and_forgives_the_longest) {
  const iteration_digest digest = of({30, 10, 900, 20, 40});
  EXPECT_EQ(std::vector<std::uint64_t>(digest.kept().begin(), digest.kept().end()),
            (std::vector<std::uint64_t>{10, 20, 30, 40, 900}));
  EXPECT_EQ(digest.median_ns(), 30U);
  EXPECT_EQ(digest.spread_ns(), 30U);
  EXPECT_EQ(digest.shortest_ns(), 10U);
  EXPECT_EQ(digest.longest_ns(), 900U);
  EXPECT_EQ(digest.first_ns(), 30U);
}

TEST(iteration_digest, of_few) {
  EXPECT_EQ(of({7}).median_ns(), 7U);
  EXPECT_EQ(of({7}).spread_ns(), 0U);
  EXPECT_EQ(of({9, 7}).median_ns(), 7U);
  EXPECT_EQ(of({9, 7}).spread_ns(), 0U);
  EXPECT_TRUE(of({}).kept().empty());
}

// The evidence from which a decision was made does not change.
TEST(iteration_digest, keeps_its_evidence_and_counts_the_rest) {
  iteration_digest digest = of({5, 4, 3, 2, 6});
  for (int i = 0; i < 1000; ++i) digest.add(1);
  EXPECT_EQ(digest.count(), 1005U);
  EXPECT_EQ(digest.shortest_ns(), 1U);
  EXPECT_EQ(digest.median_ns(), 4U);
  EXPECT_EQ(digest.kept().size(), iteration_digest::most_kept);
  EXPECT_EQ(digest.kept().front(), 2U);
}

}  // namespace
}  // namespace nearfork

#include "base/text/word_choice.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace nearfork {
namespace {

const std::vector<std::string> options{"--xml", "--synthetic", "--machine", "--json", "--list", "-o"};
const std::vector<std::string> machines{"grace", "opteron-6282", "opteron-8380", "sgi-uv2000"};

TEST(edit_distance, by_hand) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("workers", "worker"), 1U);
  EXPECT_EQ(edit_distance("policy", "polciy"), 2U);
}

RC_GTEST_PROP(edit_distance, is_a_metric, (const std::string& a, const std::string& b, const std::string& c)) {
  RC_ASSERT((edit_distance(a, b) == 0) == (a == b));
  RC_ASSERT(edit_distance(a, b) == edit_distance(b, a));
  RC_ASSERT(edit_distance(a, c) <= edit_distance(a, b) + edit_distance(b, c));
}

TEST(nearest_word, is_few_edits_away) {
  EXPECT_EQ(nearest_word("--machin", options), "--machine");
  EXPECT_EQ(nearest_word("--jsn", options), "--json");
  EXPECT_EQ(nearest_word("-synthetic", options), "--synthetic") << "dashes do not count";
  EXPECT_EQ(nearest_word("grase", machines), "grace");
}

TEST(nearest_word, may_have_been_begun) {
  EXPECT_EQ(nearest_word("sgi", machines), "sgi-uv2000");
  EXPECT_EQ(nearest_word("opteron", machines), "opteron-6282") << "the first of several";
}

TEST(nearest_word, is_none_where_most_of_a_word_would_change) {
  EXPECT_EQ(nearest_word("--csv", options), "");
  EXPECT_EQ(nearest_word("x", options), "");
  EXPECT_EQ(nearest_word("", options), "");
  EXPECT_EQ(nearest_word("--", options), "");
  EXPECT_EQ(nearest_word(std::string(100'000, 'x'), options), "");
  EXPECT_EQ(nearest_word("anything", {}), "");
}

TEST(suggestion, names_the_nearest_and_all) {
  EXPECT_EQ(suggestion("grase", machines),
            " (did you mean grace?); allowed: grace, opteron-6282, opteron-8380, sgi-uv2000");
  EXPECT_EQ(suggestion("nosuch", std::vector<std::string>{"topo", "bench"}), "; allowed: topo, bench");
}

}  // namespace
}  // namespace nearfork

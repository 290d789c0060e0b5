#include "sim/programs/page_placing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nearfork/error.hpp>

#include "message_of.hpp"

namespace nearfork::sim {
namespace {

using test::message_of;
using testing::HasSubstr;

TEST(page_placing, is_read_and_said_alike) {
  for (const char* const text :
       {"first-write", "follow-plan", "interleaved", "interleaved:0,2", "interleaved-by-bandwidth",
        "interleaved-by-weights:0=1,4=4", "by-bandwidth", "by-bandwidth:1,0", "by-capacity", "by-weights:0=0.5,1=0",
        "bound:4,5,6,7", "hbm-only", "preferred:3"})
    EXPECT_EQ(text_of(placing_called(text)), text);
  EXPECT_EQ(placing_called("by-weights:0=1,4=4.5"),
            (page_placing{.how = placing_rule::by_weights, .nodes = {{0, 1}, {4, 4.5}}}));
}

TEST(page_placing, what_is_wrong_is_said) {
  const auto fault = [](const char* text) { return message_of([text] { (void)placing_called(text); }); };
  EXPECT_THAT(fault("interleave"), HasSubstr("did you mean interleaved"));
  EXPECT_THAT(fault(""), HasSubstr("no rule is called"));
  EXPECT_THAT(fault("bound"), HasSubstr("does not say which nodes"));
  EXPECT_THAT(fault("first-write:0"), HasSubstr("takes no nodes"));
  EXPECT_THAT(fault("bound:0,"), HasSubstr("is no number of a memory node"));
  EXPECT_THAT(fault("bound:0,0"), HasSubstr("node 0 is named twice"));
  EXPECT_THAT(fault("bound:-1"), HasSubstr("is no number of a memory node"));
  EXPECT_THAT(fault("preferred:0,1"), HasSubstr("takes one node"));
  EXPECT_THAT(fault("by-weights:0,1=2"), HasSubstr("has no weight"));
  EXPECT_THAT(fault("interleaved:0=1"), HasSubstr("takes none"));
  EXPECT_THAT(fault("by-weights:0=-1"), HasSubstr("is no weight"));
  EXPECT_THAT(fault("by-weights:0=nan"), HasSubstr("is no weight"));
  EXPECT_THAT(fault("by-weights:0=0,1=0"), HasSubstr("at least one weight"));
  EXPECT_THAT(fault("by-weights:0=1=2"), HasSubstr("is no weight"));
  EXPECT_THAT(fault("by-weights:0=1,99999999999=1"), HasSubstr("is no number of a memory node"));
}

RC_GTEST_PROP(page_placing, any_text_is_read_or_refused, (const std::string& rest)) {
  const std::string text = *rc::gen::element<std::string>("", "bound:", "by-weights:", "interleaved:") + rest;
  try {
    const page_placing made = placing_called(text);
    RC_ASSERT(placing_called(text_of(made)) == made);
  } catch (const error&) {
  }
}

}  // namespace
}  // namespace nearfork::sim

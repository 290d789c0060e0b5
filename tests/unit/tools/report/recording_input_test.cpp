// Recordings as views: brackets, and the tree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/report/findings.hpp"
#include "tools/report/inputs/inputs.hpp"
#include "unit/tools/report/sample_files.hpp"

namespace nearfork::tools {
namespace {

using testing::SizeIs;

TEST(recording_input, work_and_span_set_the_bracket) {
  const report_view view = view_of_recording(sample_files::flat_recording(8, 1000, 64), "g.nfg");
  ASSERT_THAT(view.brackets, SizeIs(1));
  EXPECT_EQ(view.brackets[0].work_ns, 8020);
  EXPECT_EQ(view.brackets[0].span_ns, 1020);
  EXPECT_EQ(view.brackets[0].longest_leaf_ns, 1000);
  EXPECT_EQ(view.brackets[0].leaves, 8U);
  EXPECT_EQ(least_time_ns(view.brackets[0]), 4010);
}

TEST(recording_input, the_tree_has_the_work_of_all_that_is_below) {
  const report_view view = view_of_recording(sample_files::flat_recording(8, 1000, 64), "g.nfg");
  ASSERT_THAT(view.trees, SizeIs(1));
  ASSERT_THAT(view.trees[0].nodes, SizeIs(9));
  EXPECT_EQ(view.trees[0].nodes[0].work_ns, 8020);
  EXPECT_EQ(view.trees[0].nodes[0].tasks, 9U);
  EXPECT_EQ(view.trees[0].nodes[3].work_ns, 1000);
  EXPECT_EQ(view.trees[0].left_out, 0U);
}

TEST(recording_input, siblings_that_are_too_many_are_left_out_together) {
  const report_view view = view_of_recording(sample_files::flat_recording(5000, 10, 64), "g.nfg");
  EXPECT_THAT(view.trees.at(0).nodes, SizeIs(1));
  EXPECT_EQ(view.trees.at(0).left_out, 5000U);
}

}  // namespace
}  // namespace nearfork::tools

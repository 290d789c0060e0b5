#include "tools/recordings/record_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nearfork::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(record_runs, keep_the_run_whose_tasks_took_the_least_time) {
  const std::vector<recorded_run_facts> runs{{7, 3000, 1.9}, {7, 2000, 0.0}, {7, 2050, std::nullopt}};
  EXPECT_EQ(least_disturbed(runs), 1U);
  EXPECT_THAT(lines_of(runs, 1),
              ElementsAre(testing::StrEq("run 1 of 3: 7 tasks, work 3000 ns, other processes kept 1.9 cores busy"),
                          HasSubstr("kept, as its tasks took the least time"),
                          testing::StrEq("run 3 of 3: 7 tasks, work 2050 ns"), HasSubstr("noisy: ")));
  EXPECT_THAT(lines_of(runs, 1).back(), HasSubstr("up to 50%"));
}

TEST(record_runs, that_agree_are_not_doubted) {
  const std::vector<recorded_run_facts> runs{{7, 2000, 0.0}, {7, 2050, 0.0}};
  EXPECT_EQ(lines_of(runs, 0).size(), 2U);
  EXPECT_EQ(doubt_of(runs[0], 2), "");
}

TEST(record_runs, with_other_tasks_cannot_be_compared) {
  const std::vector<recorded_run_facts> runs{{7, 2000, 0.0}, {9, 2050, 0.0}};
  EXPECT_THAT(lines_of(runs, 0).back(), HasSubstr("different numbers of tasks"));
}

TEST(record_runs, doubt_a_disturbed_recording_and_say_what_to_do) {
  EXPECT_THAT(doubt_of({7, 2000, 1.5}, 1), HasSubstr("other processes kept 1.5 cores busy meanwhile"));
  EXPECT_THAT(doubt_of({7, 2000, 1.5}, 1), HasSubstr("--runs 5"));
  EXPECT_THAT(doubt_of({7, 2000, 1.5}, 5), HasSubstr("more than --runs 5"));
  EXPECT_EQ(doubt_of({7, 2000, std::nullopt}, 1), "") << "the system does not say";
}

TEST(record_runs, have_paths_of_their_own) {
  EXPECT_EQ(path_of_run("a/g.nfg", 2), "a/g-2.nfg");
  EXPECT_EQ(path_of_run("g", 3), "g-3");
}

}  // namespace
}  // namespace nearfork::tools

#include "tools/workload_words.hpp"

#include <gtest/gtest.h>

#include <string>

#include <nearfork/error.hpp>

namespace nearfork::tools {
namespace {

const workloads::size_rules rules{{{"rows", "", 1, 1 << 20}, {"depth", "", 0, 9}},
                                  {{"default", {100, 2}}, {"small", {10, 1}}}};

TEST(size_of_workload, is_read_from_names_fields_and_both) {
  EXPECT_EQ(size_of_workload("w", rules, "small"), (workloads::size_values{10, 1}));
  EXPECT_EQ(size_of_workload("w", rules, "depth=5"), (workloads::size_values{100, 5}));
  EXPECT_EQ(size_of_workload("w", rules, "small,rows=2K"), (workloads::size_values{2048, 1}));
  EXPECT_EQ(size_of_workload("w", rules, "rows=1M,depth=0x0"), (workloads::size_values{1 << 20, 0}));
}

TEST(size_of_workload, that_is_wrong_is_refused_with_what_is_allowed) {
  for (const char* const text : {"",
                                 "big",
                                 "rows",
                                 "rows=",
                                 "rows=0",
                                 "rows=2M",
                                 "rows=-1",
                                 "rows=3x",
                                 "rows=3KK",
                                 "width=3",
                                 "small,",
                                 ",rows=1",
                                 "small,small",
                                 "rows=1,depth=2,rows=1",
                                 "rows=1,,depth=2",
                                 "rows=99999999999999999999",
                                 "rows=18014398509481985K",
                                 "rows=010",
                                 "rows=+1",
                                 "rows= 1",
                                 "rows=1 ",
                                 "rows=1e3",
                                 "rows=-18446744073709551615",
                                 "rows=1K "}) {
    try {
      (void)size_of_workload("w", rules, text);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const error& refused) {
      EXPECT_NE(std::string(refused.what())
                    .find("allowed: default small; or FIELD=NUMBER,... with rows (1 to 1048576) depth (0 to 9)"),
                std::string::npos)
          << refused.what();
    }
  }
}

TEST(size_of_workload, names_the_word_that_was_meant) {
  const auto refusal = [](const char* text) {
    try {
      (void)size_of_workload("w", rules, text);
      return std::string();
    } catch (const error& refused) {
      return std::string(refused.what());
    }
  };
  EXPECT_NE(refusal("smal").find("did you mean small?"), std::string::npos) << refusal("smal");
  EXPECT_NE(refusal("row=3").find("did you mean rows?"), std::string::npos) << refusal("row=3");
  EXPECT_NE(refusal("small,rows=1,rows=2").find("rows is given twice"), std::string::npos) << refusal("rows=1,rows=2");
  EXPECT_NE(refusal("rows=010").find("without leading zeros"), std::string::npos) << refusal("rows=010");
}

TEST(workload_called, names_the_one_that_was_meant) {
  EXPECT_EQ(workload_called("heat").name, "heat");
  try {
    (void)workload_called("haet");
    FAIL() << "there is no workload \"haet\"";
  } catch (const error& refused) {
    EXPECT_NE(std::string(refused.what()).find("(did you mean heat?); allowed: heat, "), std::string::npos)
        << refused.what();
  }
}

}  // namespace
}  // namespace nearfork::tools

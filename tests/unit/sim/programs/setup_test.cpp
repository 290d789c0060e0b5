#include "sim/programs/setup.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nearfork/error.hpp>

namespace nearfork::sim {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

program two_arrays() {
  program made{.name = "two arrays", .graphs = {}, .course = {0}};
  made.graphs.emplace_back(task_tree{});
  made.arrays = {{0, 10'000}, {12'288, 5'000}};
  return made;
}

TEST(setup, has_names) {
  for (const std::string& name : setup_names()) EXPECT_EQ(name_of(setup_called(name)), name);
  EXPECT_THAT(setup_names(), ElementsAre("none", "serial", "parallel", "cilk", "quarters", "interleaved", "recorded"));
  EXPECT_THROW((void)setup_called("cilks"), error);
}

TEST(setup, serial_writes_all_arrays_in_one_task) {
  program made = two_arrays();
  EXPECT_EQ(made.data_bytes(), 17'288U) << "arrays count, touched or not";
  set_up(made, setup_kind::serial);
  ASSERT_EQ(made.setup.size(), 1U);
  EXPECT_EQ(made.setup.front().size(), 1U);
  EXPECT_THAT(made.setup.front().work(tree_root, 0).accesses,
              ElementsAre(data_access{0, 10'000, access_kind::write}, data_access{12'288, 5'000, access_kind::write}));
  EXPECT_EQ(made.pages, page_rule::first_touch);
  made.arrays.clear();
  set_up(made, setup_kind::serial);
  EXPECT_THAT(made.setup, IsEmpty()) << "there is nothing to write";
}

TEST(setup, one_takes_the_place_of_another) {
  program made = two_arrays();
  set_up(made, setup_kind::serial);
  set_up(made, setup_kind::interleaved);
  EXPECT_THAT(made.setup, IsEmpty());
  EXPECT_EQ(made.pages, page_rule::interleaved);
  set_up(made, setup_kind::quarters);
  EXPECT_EQ(made.pages, page_rule::in_parts);
  set_up(made, setup_kind::none);
  EXPECT_EQ(made.pages, page_rule::first_touch);
}

}  // namespace
}  // namespace nearfork::sim

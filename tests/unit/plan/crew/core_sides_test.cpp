#include "plan/crew/core_sides.hpp"

#include <gtest/gtest.h>

#include "machines_for_tests.hpp"
#include "plan/crew/worker_places.hpp"

namespace nearfork {
namespace {

TEST(core_sides, big_domains_have_the_fastest_kind) {
  const core_sides sides = sides_of(machine_of_kinds({2, 2, 2}, {1, 0, 1}));
  EXPECT_EQ(sides.is_big, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(sides.big, 2U);
  EXPECT_EQ(sides.little, 1U);
  EXPECT_TRUE(sides.differ());
  EXPECT_EQ(sides.even_factor(), 2);
}

TEST(core_sides, all_slower_kinds_are_little) {
  EXPECT_EQ(sides_of(machine_of_kinds({1, 1, 1, 1}, {0, 2, 1, 2})).is_big,
            (std::vector<bool>{false, true, false, true}));
}

TEST(core_sides, do_not_differ_where_all_cores_are_alike_or_unknown) {
  EXPECT_FALSE(sides_of(opteron_8380()).differ());
  EXPECT_FALSE(sides_of(machine_of_kinds({2, 2}, {3, 3})).differ());
  EXPECT_FALSE(sides_of(machine_of_kinds({2, 2}, {-1, -1})).differ());
}

TEST(core_sides, workers_know_the_side_of_their_domain) {
  const machine where = machine_of_kinds({2, 2, 2}, {0, 1, 0});
  const worker_layout layout = layout_of(where, place_workers(where, 6));
  EXPECT_TRUE(layout.sides_differ());
  EXPECT_FALSE(layout.is_big(0));
  EXPECT_TRUE(layout.is_big(1));
  EXPECT_FALSE(layout.is_big(2));
  EXPECT_FALSE(layout_of(where, place_workers(where, 2)).sides_differ()) << "these have workers in one domain alone";
}

}  // namespace
}  // namespace nearfork

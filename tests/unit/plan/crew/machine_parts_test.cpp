#include "plan/crew/machine_parts.hpp"

#include <gtest/gtest.h>

#include <set>

namespace {

using namespace nearfork;
using parts = std::vector<std::vector<unsigned>>;

parts parts_of(const char* described, unsigned many) {
  return parts_of_machine(*load_machine(described), many);
}

TEST(machine_parts, are_domains_while_there_are_enough) {
  const char* const four = "package:2 l3:2 core:2 pu:1";
  EXPECT_EQ(parts_of(four, 1), (parts{{0, 1, 2, 3, 4, 5, 6, 7}}));
  EXPECT_EQ(parts_of(four, 2), (parts{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(parts_of(four, 3), (parts{{0, 1}, {2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(parts_of(four, 4), (parts{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
}

TEST(machine_parts, are_whole_cores_of_one_domain_where_there_are_more) {
  EXPECT_EQ(parts_of("package:1 l3:2 core:3 pu:2", 4), (parts{{0, 1}, {2, 3, 4, 5}, {6, 7}, {8, 9, 10, 11}}));
  EXPECT_EQ(parts_of("package:1 l3:1 core:2 pu:1", 2), (parts{{0}, {1}}));
}

TEST(machine_parts, share_cores_where_there_are_too_few) {
  EXPECT_EQ(parts_of("package:1 l3:1 core:2 pu:1", 4), (parts{{0}, {0}, {1}, {1}}));
}

TEST(machine_parts, of_any_number_are_disjoint_and_complete_while_there_are_cores) {
  const auto box = load_machine("package:2 l3:3 core:5 pu:2");
  for (unsigned many = 1; many <= 30; ++many) {
    std::multiset<unsigned> all;
    for (const auto& one : parts_of_machine(*box, many)) {
      EXPECT_FALSE(one.empty());
      all.insert(one.begin(), one.end());
    }
    EXPECT_EQ(all.size(), 60U) << many;
    EXPECT_EQ(std::set<unsigned>(all.begin(), all.end()).size(), 60U) << many;
  }
}

}  // namespace

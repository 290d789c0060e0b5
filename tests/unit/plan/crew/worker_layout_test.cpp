#include "plan/crew/worker_layout.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "unit/plan/crew/layouts.hpp"

namespace nearfork {
namespace {

std::vector<std::uint32_t> near_first(const worker_layout& layout, std::uint32_t from) {
  std::vector<std::uint32_t> order;
  EXPECT_FALSE(layout.try_near(from, [&](std::uint32_t worker) {
    order.push_back(worker);
    return false;
  }));
  return order;
}

// Domains 0 and 1 are in one package, 2 and 3 in another.
TEST(worker_layout, tries_the_own_domain_then_near_ones_each_in_order) {
  const worker_layout layout = layout_of({2, 1, 2, 1});
  EXPECT_EQ(near_first(layout, 1), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(near_first(layout, 2), (std::vector<std::uint32_t>{2, 0, 1, 3, 4, 5}));
  EXPECT_EQ(near_first(layout, 5), (std::vector<std::uint32_t>{5, 3, 4, 0, 1, 2}));
}

// Where each core is a domain, those of one node are tried in the same order wherever the work is.
TEST(worker_layout, takes_all_domains_of_a_node_for_equally_near) {
  const worker_layout layout({0, 1, 2, 3}, {0, 1, 2, 2,  //
                                            1, 0, 2, 2,  //
                                            2, 2, 0, 1,  //
                                            2, 2, 1, 0});
  EXPECT_EQ(near_first(layout, 0), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(near_first(layout, 3), (std::vector<std::uint32_t>{3, 0, 1, 2}));
}

TEST(worker_layout, ends_with_the_first_worker_that_is_taken) {
  const worker_layout layout = layout_of({2, 2});
  std::uint32_t asked = 0;
  EXPECT_TRUE(layout.try_near(2, [&](std::uint32_t worker) {
    ++asked;
    return worker == 3;
  }));
  EXPECT_EQ(asked, 2U);
}

}  // namespace
}  // namespace nearfork

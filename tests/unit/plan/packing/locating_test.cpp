#include "plan/packing/locating.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "plan/packing/subgraphs.hpp"
#include "unit/plan/policies/heat_profile.hpp"

namespace nearfork {
namespace {

/// Runs rounds until all subgraphs have homes, at most `most`. `local(subgraph, domain)`: of 100 accesses.
template <class Local>
std::vector<subgraph_home> located(const packing& subgraphs, std::uint32_t domains, locate_rule rule, int& rounds,
                                   const Local& local) {
  std::vector<subtree_traffic> seen;
  std::vector<subgraph_home> homes = locate(subgraphs, domains, seen, rule);
  for (rounds = 0; rounds < 20; ++rounds) {
    if (std::ranges::all_of(homes, &subgraph_home::decided)) return homes;
    std::vector<std::uint32_t> on(domains, 0);
    for (std::size_t g = 0; g < homes.size(); ++g) {
      if (!homes[g].decided) ++on[homes[g].domain];
      const double near = local(g, homes[g].domain);
      seen.push_back({.root = subgraphs[g], .domain = homes[g].domain, .local = near, .remote = 100 - near});
    }
    for (const std::uint32_t one : on) EXPECT_LE(one, (homes.size() + domains - 1) / domains);
    homes = locate(subgraphs, domains, seen, rule);
  }
  return homes;
}

packing some(std::uint32_t count) {
  packing made;
  for (std::uint32_t i = 0; i < count; ++i) made.push_back(tree_node{10 + i});
  return made;
}

// Acceptance case 6.
TEST(locating, stays_where_most_is_local) {
  int rounds = 0;
  const auto next_domain = [](std::size_t g, std::uint32_t domain) { return (g + 1) % 4 == domain ? 60 : 10; };
  const auto homes = located(some(8), 4, locate_rule::first, rounds, next_domain);
  EXPECT_EQ(rounds, 2);
  for (std::size_t g = 0; g < homes.size(); ++g)
    EXPECT_EQ(homes[g], (subgraph_home{static_cast<std::uint16_t>((g + 1) % 4), pool_class::high, true}));
}

TEST(locating, takes_the_largest_part_where_no_domain_has_most) {
  int rounds = 0;
  const auto most_in_third = [](std::size_t, std::uint32_t domain) { return domain == 2 ? 40 : 20; };
  for (const subgraph_home& one : located(some(5), 4, locate_rule::first, rounds, most_in_third))
    EXPECT_EQ(one, (subgraph_home{2, pool_class::weak, true}));
  EXPECT_EQ(rounds, 4);
}

TEST(locating, counts_half_as_most) {
  int rounds = 0;
  const auto half = [](std::size_t, std::uint32_t) { return 50; };
  const auto homes = located(some(6), 4, locate_rule::first, rounds, half);
  EXPECT_EQ(rounds, 1);
  for (std::size_t g = 0; g < homes.size(); ++g) EXPECT_EQ(homes[g].domain, g % 4);
}

TEST(locating, may_look_at_all_domains_for_the_best) {
  int rounds = 0;
  const auto last_is_best = [](std::size_t, std::uint32_t domain) { return 50 + 10 * domain; };
  for (const subgraph_home& one : located(some(4), 3, locate_rule::best, rounds, last_is_best))
    EXPECT_EQ(one, (subgraph_home{2, pool_class::high, true}));
  EXPECT_EQ(rounds, 3);
}

// Acceptance case 5.
TEST(subgraphs, are_the_smallest_that_tile_the_tree) {
  const profile heat = heat_profile(8, 1 << 20);  // 256 leaves, 511 tasks
  EXPECT_EQ(subgraphs_of(heat, 16).size(), 2U) << "255 tasks each; the next have 127";
  EXPECT_EQ(subgraphs_of(heat, 1).size(), 32U) << "15 tasks each; the next have 7";
  EXPECT_TRUE(subgraphs_of(heat, 52).empty());
}

TEST(subgraphs, keep_a_parent_whole_if_one_child_is_too_small) {
  task_tree tree;
  (void)tree.try_fork(tree_root, 2);
  (void)tree.try_fork(tree_node{1}, 158);  // with itself 159
  (void)tree.try_fork(tree_node{2}, 499);
  profile measured(std::move(tree), cost_source::time);
  measured.complete();
  EXPECT_EQ(subgraphs_of(measured, 16), packing{tree_root});
}

}  // namespace
}  // namespace nearfork

#include "plan/policies/cab_policy.hpp"

#include <gtest/gtest.h>

#include "heat_profile.hpp"
#include "unit/plan/crew/machines_for_tests.hpp"
#include "unit/plan/mebibyte.hpp"
#include "unit/plan/plans/planned_paths.hpp"

namespace nearfork {
namespace {

using test::MiB;

TEST(boundary_level, has_a_subtree_for_every_domain_and_each_fits) {
  struct row {
    boundary_facts facts;
    std::uint32_t level;
  };
  const row rows[] = {
      {{.branching = 2, .domains = 4}, 2},
      {{.branching = 2, .domains = 5}, 3},
      {{.branching = 8, .domains = 4}, 1},
      {{.branching = 2, .domains = 1}, 0},
      {{.branching = 2, .domains = 4, .input_bytes = 16, .cache_bytes = 6}, 2},
      {{.branching = 2, .domains = 4, .input_bytes = 64, .cache_bytes = 6}, 4},
      {{.branching = 2, .domains = 4, .input_bytes = 48, .cache_bytes = 6}, 3},
      {{.branching = 4, .domains = 4, .input_bytes = 100, .cache_bytes = 6}, 3},
      {{.branching = 2, .domains = 2, .input_bytes = 64}, 1},
      {{.branching = 1, .domains = 2}, 1},
  };
  for (const row& r : rows) EXPECT_EQ(boundary_level(r.facts), r.level) << r.facts.branching << " " << r.facts.domains;
}

TEST(cab, cuts_all_ways_at_one_level_and_leaves_above_it_where_they_are) {
  task_tree tree = regular_tree(2, 1);  // a leaf beside a half that forks further
  (void)tree.try_fork(tree_node{2}, 2);
  (void)tree.try_fork(tree_node{3}, 2);
  (void)tree.try_fork(tree_node{4}, 2);
  profile measured(tree, cost_source::cache_misses);
  measured.record(tree_node{8}, {MiB, 1000});
  measured.complete();
  const plan made = cab_policy().next(opteron_8380(), measured, {});
  std::vector<std::uint32_t> depths;
  for (const met_task& root : subtrees_of(made, tree)) depths.push_back(tree.depth(root.node));
  EXPECT_EQ(depths, (std::vector<std::uint32_t>{1, 2, 2}));
}

TEST(cab, learns_how_tasks_branch) {
  const cab_policy cab;
  const auto subtrees = [&](const task_tree& tree) {
    return subtrees_of(cab.next(opteron_8380(), profile(tree, cost_source::time), {}), tree).size();
  };
  EXPECT_EQ(subtrees(regular_tree(2, 6)), 4U);
  EXPECT_EQ(subtrees(regular_tree(3, 4)), 9U);
  EXPECT_EQ(subtrees(regular_tree(16, 2)), 16U);
}

TEST(cab, assumes_halves_before_anything_ran) {
  const plan made = cab_policy().first(opteron_8380(), {.name = "heat", .input_bytes = 64 * MiB});
  EXPECT_EQ(subtrees_of(made, regular_tree(2, 6)).size(), 16U);
  EXPECT_EQ(subtrees_of(cab_policy().first(opteron_8380(), {.name = "heat"}), regular_tree(2, 6)).size(), 4U);
  EXPECT_TRUE(cab_policy().first(machine_of(1, 4), {.name = "heat"}).empty());
}

TEST(cab, leaves_cpu_bound_regions_alone) {
  profile bound = heat_profile(5, 64 * MiB);
  bound.record(tree_root, {0, 10'000'000'000});
  bound.complete();
  const plan made = cab_policy().next(opteron_8380(), bound, {});
  EXPECT_TRUE(made.empty());
  EXPECT_EQ(made.why().decision, plan_decision::cpu_bound);
}

}  // namespace
}  // namespace nearfork

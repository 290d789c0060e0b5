#include "plan/plans/placement_rule.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <vector>

#include "base/rng.hpp"
#include "plan/plans/plan.hpp"

namespace nearfork {
namespace {

constexpr double MiB = 1 << 20;

placement_rule by_share(std::uint32_t domains) {
  return {.domain_borders = even_borders(domains)};
}

rule_position with_share(double lo, double hi) {
  return {.share = {lo, hi}, .size_bytes = 0, .depth = 1};
}

TEST(even_borders, split_the_whole) {
  EXPECT_EQ(even_borders(1), (std::vector<double>{0, 1}));
  EXPECT_EQ(even_borders(4), (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
}

TEST(place, gives_a_task_to_the_domain_that_holds_its_share) {
  struct row {
    double lo, hi;
    std::uint16_t domain;
  };
  const row rows[] = {{0, 0.25, 0},   {0.25, 0.5, 1},       {0.3, 0.4, 1},      {0.75, 1, 3},
                      {0.9, 0.95, 3}, {0, 0.5, any_domain}, {0, 1, any_domain}, {0.2, 0.3, any_domain}};
  for (const row& r : rows)
    EXPECT_EQ(place(by_share(4), with_share(r.lo, r.hi)).domain, r.domain) << r.lo << " to " << r.hi;
}

TEST(place, without_borders_names_no_domain) {
  EXPECT_EQ(place(placement_rule{}, with_share(0, 0.1)).domain, any_domain);
}

// LAWS, Fig. 4: the third child of the first half works on [D/3, D/2), which belongs to the first socket.
TEST(place, follows_the_papers_example) {
  const placement_rule rule = by_share(2);
  const rule_position half = child_position(root_position(rule), {0, 2});
  EXPECT_EQ(place(rule, half).domain, 0);
  EXPECT_EQ(place(rule, child_position(half, {2, 3})).domain, 0);
  EXPECT_EQ(place(rule, root_position(rule)).domain, any_domain);
  EXPECT_FALSE(place(rule, half).subtree_root) << "nothing is cut in the first iteration";
  EXPECT_EQ(place(rule, half).children, spawn_order::parent_first);
}

// A-CAB Eq. 2 and 3.2.3: 16 MiB over a binary tree, 6 MiB of shared cache: 16, 8, then 4 MiB fits.
TEST(place, cuts_by_size) {
  const placement_rule rule{.input_bytes = 16 * MiB, .most_subtree_bytes = 6 * MiB};
  rule_position task = root_position(rule);
  EXPECT_FALSE(place(rule, task).subtree_root);
  task = child_position(task, {1, 2});
  EXPECT_FALSE(place(rule, task).subtree_root);
  task = child_position(task, {0, 2});
  EXPECT_TRUE(place(rule, task).subtree_root);
  EXPECT_EQ(place(rule, task).children, spawn_order::child_first);
}

TEST(place, cuts_by_depth) {
  const placement_rule rule{.cut_depth = 2};
  rule_position task = child_position(root_position(rule), {0, 8});
  EXPECT_FALSE(place(rule, task).subtree_root);
  EXPECT_TRUE(place(rule, child_position(task, {7, 8})).subtree_root);
}

TEST(plan_from_a_rule, is_followed_down_a_tree_that_nobody_knew) {
  const plan made(placement_rule{.domain_borders = even_borders(2), .cut_depth = 2});
  EXPECT_FALSE(made.empty());
  EXPECT_EQ(made.root()->where.domain, any_domain);
  plan_cursor at_root(made);
  ASSERT_TRUE(at_root.planned());
  planned_fork::child right = at_root.fork(2).at(1);
  EXPECT_EQ(right.where.domain, 1);
  const planned_fork::child root = right.cursor.fork(5).at(4);
  EXPECT_TRUE(root.where.subtree_root);
  EXPECT_FALSE(root.cursor.planned());
  EXPECT_FALSE(at_root.fork(3).empty()) << "a rule has an answer to every fork";
  EXPECT_FALSE(at_root.strayed());
  EXPECT_FALSE(at_root.forks_missing());
}

// Wherever borders lie and however tasks branch: a placed task and all tasks below it lie within the task's domain.
RC_GTEST_PROP(place, keeps_what_is_below_a_placed_task_in_its_domain, (std::uint64_t seed)) {
  rng random(seed);
  const auto domains = 1 + random.below(24);
  const placement_rule rule = by_share(domains);
  rule_position task = root_position(rule);
  std::uint16_t above = any_domain;
  for (int depth = 0; depth < 16; ++depth) {
    const auto branching = 1 + random.below(4);
    task = child_position(task, {random.below(branching), branching});
    const std::uint16_t domain = place(rule, task).domain;
    if (above != any_domain) RC_ASSERT(domain == above);
    if (domain != any_domain) {
      RC_ASSERT(task.share.lo >= rule.domain_borders[domain] - 1e-6);
      RC_ASSERT(task.share.hi <= rule.domain_borders[domain + 1U] + 1e-6);
    }
    above = domain;
  }
}

}  // namespace
}  // namespace nearfork

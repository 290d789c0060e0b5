#include "plan/policies/acab_policy.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "heat_profile.hpp"
#include "plan/policies/laws_policy.hpp"
#include "unit/plan/crew/machines_for_tests.hpp"
#include "unit/plan/mebibyte.hpp"
#include "unit/plan/plans/planned_paths.hpp"

namespace nearfork {
namespace {

using test::MiB;

const acab_policy acab(acab_policy::sizes::profiled_or_by_branching);
const acab_policy cats(acab_policy::sizes::profiled);

/// The depths of the subtree roots at which `made` cuts `tree`.
std::vector<std::uint32_t> root_depths(const plan& made, const task_tree& tree) {
  std::vector<std::uint32_t> depths;
  for (const met_task& root : subtrees_of(made, tree)) depths.push_back(tree.depth(root.node));
  return depths;
}
std::vector<std::uint32_t> depths(std::size_t count, std::uint32_t depth) {
  return std::vector<std::uint32_t>(count, depth);
}

void check_same_places(const plan& one, const plan& other) {
  const task_tree tree = regular_tree(2, 6);
  const auto places = [&](const plan& of) {
    std::vector<placement> all;
    follow(of, tree, [&](const met_task& at) { all.push_back(at.where); });
    return all;
  };
  EXPECT_EQ(places(one), places(other));
}

// A-CAB, Fig. 8: 17.9 MiB, then 8.57 and 8.52, then 4.79, 3.72, 3.79 and 4.54; 6 MiB of shared cache: four subtrees.
TEST(acab, cuts_the_papers_heat_at_the_third_level) {
  profile measured(regular_tree(2, 2), cost_source::cache_misses);
  const double leaves[] = {4.79, 3.72, 3.79, 4.54};
  for (std::uint32_t i = 0; i < 4; ++i)
    measured.record(tree_node{3 + i}, {static_cast<std::uint64_t>(leaves[i] * double{MiB}), 1'000'000});
  measured.complete();
  const plan made = acab.next(opteron_8380(), measured, {});
  EXPECT_EQ(root_depths(made, measured.tree()), depths(4, 2));
  EXPECT_EQ(made.why().decision, plan_decision::packed);
  EXPECT_EQ(made.why().subtrees, 4U);
  EXPECT_NEAR(made.why().least_bytes / double{MiB}, 3.72, 0.01);
  EXPECT_NEAR(made.why().most_bytes / double{MiB}, 4.79, 0.01);
  EXPECT_TRUE(made.standing().settled);
}

TEST(acab, names_no_domain_and_spawns_parent_first_above_the_roots) {
  const profile measured = heat_profile(6, 64 * MiB);
  const plan made = acab.next(opteron_8380(), measured, {});
  follow(made, measured.tree(), [&](const met_task& at) {
    if (!at.planned) return;
    EXPECT_EQ(at.where.domain, any_domain);
    EXPECT_EQ(at.where.pool, pool_class::high);
    EXPECT_EQ(at.where.children, at.where.subtree_root ? spawn_order::child_first : spawn_order::parent_first);
  });
  EXPECT_EQ(root_depths(made, measured.tree()), depths(16, 4)) << "64 MiB by 16 is 4, by 8 it is 8";
}

// 3.2.3: "equals to or is smaller" makes a task a leaf inter-socket task if the task's parent is larger.
TEST(acab, a_task_of_exactly_the_cache_is_a_root) {
  const profile measured = heat_profile(5, 48 * MiB);
  EXPECT_EQ(root_depths(acab.next(opteron_8380(), measured, {}), measured.tree()), depths(8, 3));
  const profile more = heat_profile(5, 48 * MiB + 32);
  EXPECT_EQ(root_depths(acab.next(opteron_8380(), more, {}), more.tree()), depths(16, 4));
}

TEST(acab, cuts_irregular_trees_at_several_depths) {
  task_tree tree;  // a large leaf beside a small half
  (void)tree.try_fork(tree_root, 2);
  (void)tree.try_fork(tree_node{2}, 2);
  (void)tree.try_fork(tree_node{3}, 2);
  profile measured(tree, cost_source::cache_misses);
  measured.record(tree_node{1}, {20 * MiB, 1'000'000});
  measured.record(tree_node{4}, {5 * MiB, 1'000'000});
  for (const std::uint32_t i : {5U, 6U}) measured.record(tree_node{i}, {2 * MiB, 1'000'000});
  measured.complete();
  EXPECT_EQ(root_depths(acab.next(machine_of(2, 4, 6 * MiB), measured, {}), tree),
            (std::vector<std::uint32_t>{1, 2, 2}))
      << "a leaf larger than the cache is a subtree of its own";
}

// 3.2.3 does not require a subtree for each socket: A-CAB's own input, 1024 x 512, is two subtrees for four sockets.
TEST(acab, makes_no_more_subtrees_than_fill_caches) {
  const profile measured = heat_profile(5, 8 * MiB);
  const plan made = acab.next(opteron_8380(), measured, {});
  EXPECT_EQ(root_depths(made, measured.tree()), depths(2, 1));
  EXPECT_EQ(made.begins_in(), first_domain);
}

TEST(acab, leaves_to_plain_stealing_what_has_nothing_to_gain) {
  struct row {
    machine where;
    profile measured;
    plan_decision why;
  };
  profile bound = heat_profile(5, 64 * MiB);
  bound.record(tree_root, {0, 10'000'000'000});
  bound.complete();
  const row rows[] = {{machine_of(1, 4, 6 * MiB), heat_profile(5, 64 * MiB), plan_decision::one_domain},
                      {opteron_8380(), heat_profile(0, 64 * MiB), plan_decision::no_forks},
                      {opteron_8380(), bound, plan_decision::cpu_bound},
                      {opteron_8380(), heat_profile(5, 6 * MiB), plan_decision::fits_one_cache},
                      {opteron_8380(), heat_profile(5, 64 * MiB, cost_source::time), plan_decision::sizes_unknown},
                      {machine_of(4, 4), heat_profile(5, 64 * MiB), plan_decision::sizes_unknown}};
  for (const row& r : rows)
    for (const acab_policy* one : {&acab, &cats}) {
      const plan made = one->next(r.where, r.measured, {});
      EXPECT_TRUE(made.empty());
      EXPECT_TRUE(made.standing().settled);
      EXPECT_EQ(name_of(made.why().decision), name_of(r.why));
      EXPECT_EQ(made.why().policy, one->name());
    }
}

// Eq. 2, before anything ran: 16 MiB over halves, 6 MiB of cache: 16, 8, 4.
TEST(acab, cuts_by_the_size_of_the_input_before_anything_ran) {
  const plan made = acab.first(opteron_8380(), {.name = "heat", .input_bytes = 16 * MiB});
  EXPECT_EQ(made.why().decision, plan_decision::by_rule);
  EXPECT_FALSE(made.standing().settled);
  const task_tree tree = regular_tree(2, 5);
  EXPECT_EQ(root_depths(made, tree), depths(4, 2));
  const plan two = acab.first(opteron_8380(), {.name = "heat", .input_bytes = 8 * MiB});
  EXPECT_EQ(root_depths(two, tree), depths(2, 1)) << "as many as fill caches, not one for each domain";
  EXPECT_EQ(two.begins_in(), first_domain);
  const plan one = acab.first(opteron_8380(), {.name = "heat", .input_bytes = 6 * MiB});
  EXPECT_EQ(root_depths(one, tree), depths(1, 0)) << "the root itself: one domain does it all";
  const plan many = acab.first(machine_of(24, 8, MiB), {.name = "heat", .input_bytes = 24 * MiB});
  EXPECT_EQ(root_depths(many, regular_tree(24, 2)), depths(24, 1)) << "a 24th, whatever the rounding";
}

// LAWS, 5.1: CATS was given an even first distribution of the data, as LAWS has it.
TEST(acab, cats_may_begin_with_evenly_spread_data) {
  const acab_policy even(acab_policy::sizes::profiled, acab_policy::start::even);
  EXPECT_EQ(even.name(), "cats-even");
  const region_facts facts{.name = "heat"};
  check_same_places(even.first(opteron_8380(), facts),
                    laws_policy(laws_policy::subtrees::packed).first(opteron_8380(), facts));
  const profile measured = heat_profile(6, 64 * MiB);
  check_same_places(even.next(opteron_8380(), measured, {}), cats.next(opteron_8380(), measured, {}));
  EXPECT_TRUE(even.first(machine_of(1, 4, MiB), facts).empty());
}

TEST(acab, without_the_size_of_the_input_runs_the_first_iteration_plainly) {
  const plan made = acab.first(opteron_8380(), {.name = "heat"});
  EXPECT_TRUE(made.empty());
  EXPECT_FALSE(made.standing().settled) << "the profile will tell";
  EXPECT_TRUE(acab.first(machine_of(1, 4, MiB), {.name = "heat", .input_bytes = 16 * MiB}).standing().settled);
  EXPECT_TRUE(acab.first(machine_of(4, 4), {.name = "heat", .input_bytes = 16 * MiB}).standing().settled);
}

// Where bytes cannot be counted, the size of the input cuts the profiled tree.
TEST(acab, falls_back_to_branching_degrees_and_cats_does_not) {
  const profile timed = heat_profile(5, 64 * MiB, cost_source::time, 16 * MiB);
  EXPECT_EQ(root_depths(acab.next(opteron_8380(), timed, {}), timed.tree()), depths(4, 2));
  EXPECT_TRUE(cats.next(opteron_8380(), timed, {}).empty());
  EXPECT_TRUE(cats.first(opteron_8380(), {.name = "heat", .input_bytes = 16 * MiB}).empty());
  const profile counted = heat_profile(5, 64 * MiB, cost_source::placed_bytes, 16 * MiB);
  EXPECT_EQ(root_depths(acab.next(opteron_8380(), counted, {}), counted.tree()), depths(16, 4));
  EXPECT_EQ(root_depths(cats.next(opteron_8380(), counted, {}), counted.tree()), depths(16, 4));
}

}  // namespace
}  // namespace nearfork

#include "plan/policies/laws_policy.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "heat_profile.hpp"
#include "plan/packing/tuning.hpp"
#include "plan/profile/iteration_digest.hpp"
#include "unit/plan/crew/machines_for_tests.hpp"
#include "unit/plan/mebibyte.hpp"
#include "unit/plan/plans/planned_paths.hpp"
#include "unit/plan/search/opened_places.hpp"

namespace nearfork {
namespace {

using test::MiB;

const laws_policy laws(laws_policy::subtrees::packed);
const laws_policy laws_nc(laws_policy::subtrees::whole);

/// Runs iterations of the durations that `cost` gives for their packing level, until the plan is settled.
template <class Cost>
plan settled_plan(const machine& where, profile& measured, Cost&& cost) {
  plan now = laws.next(where, measured, {});
  for (int i = 0; i < 1000 && !now.standing().settled; ++i) {
    const std::int32_t level = now.why().packing_level;
    measured.add_iteration({.duration_ns = cost(level), .planned = !now.empty(), .trial = now.standing().trial});
    now = laws.next(where, measured, now);
  }
  return now;
}

TEST(laws, places_the_first_iteration_by_share_and_cuts_nothing) {
  const plan made = laws.first(opteron_8380(), {.name = "heat"});
  EXPECT_EQ(made.why().decision, plan_decision::by_rule);
  const task_tree tree = regular_tree(2, 5);
  std::uint32_t leaves = 0;
  follow(made, tree, [&](const met_task& at) {
    EXPECT_TRUE(at.planned);
    EXPECT_EQ(at.roots_above, 0U);
    EXPECT_EQ(at.where.children, spawn_order::parent_first);
    if (tree.depth(at.node) < 2) {
      EXPECT_EQ(at.where.domain, any_domain);
      return;
    }
    EXPECT_LT(at.where.domain, 4);
    if (!tree.is_leaf(at.node)) return;
    EXPECT_EQ(at.where.domain, leaves / 8);
    ++leaves;
  });
  EXPECT_EQ(leaves, 32U);
}

// 64 MiB on four domains with 6 MiB of cache each: 16 MiB for each domain, in four subtrees of 4 MiB.
TEST(laws, packs_each_domains_part_for_its_cache) {
  const profile measured = heat_profile(8, 64 * MiB);
  const plan made = laws.next(opteron_8380(), measured, {});
  const auto roots = subtrees_of(made, measured.tree());
  ASSERT_EQ(roots.size(), 16U);
  for (std::size_t i = 0; i < roots.size(); ++i) {
    EXPECT_EQ(measured.tree().depth(roots[i].node), 4U);
    EXPECT_EQ(roots[i].where.domain, i / 4);
    EXPECT_EQ(roots[i].where.children, spawn_order::child_first);
  }
  EXPECT_EQ(made.why().decision, plan_decision::trying);
  EXPECT_EQ(made.why().subtrees, 16U);
  EXPECT_EQ(made.why().least_bytes, 4.0 * MiB);
  EXPECT_EQ(made.why().most_bytes, 4.0 * MiB);
  EXPECT_EQ(made.why().domain_shares, (std::vector<double>{0.25, 0.25, 0.25, 0.25}));
}

// Small data: a task that fits the cache but spans domains stays above the roots.
TEST(laws, no_subtree_spans_domains) {
  const profile measured = heat_profile(5, 4 * MiB);
  const auto roots = subtrees_of(laws.next(opteron_8380(), measured, {}), measured.tree());
  ASSERT_EQ(roots.size(), 4U);
  for (std::uint16_t i = 0; i < 4; ++i) EXPECT_EQ(roots[i].where.domain, i);
}

TEST(laws, a_leaf_that_spans_goes_where_most_of_it_is) {
  profile measured(regular_tree(4, 1), cost_source::cache_misses);
  for (std::uint32_t i = 1; i <= 4; ++i) measured.record(tree_node{i}, {MiB, 100'000});
  measured.complete();
  const auto roots = subtrees_of(laws.next(machine_of(3, 2, 8 * MiB), measured, {}), measured.tree());
  ASSERT_EQ(roots.size(), 4U);
  EXPECT_EQ(roots[0].where.domain, 0);
  EXPECT_EQ(roots[1].where.domain, 1) << "a twelfth of all in the first domain, a sixth here";
  EXPECT_EQ(roots[2].where.domain, 1) << "a sixth here, a twelfth in the last";
  EXPECT_EQ(roots[3].where.domain, 2);
}

// A task under a parent of exactly the cache's size is local to the parent's subtree.
TEST(laws, a_task_of_exactly_the_cache_is_a_root) {
  const profile measured = heat_profile(7, 96 * MiB);
  EXPECT_EQ(subtrees_of(laws.next(opteron_8380(), measured, {}), measured.tree()).size(), 16U);
}

TEST(laws, unequal_caches_count_each_for_its_domain) {
  machine_parts parts;
  for (std::uint32_t d = 0; d < 2; ++d) {
    parts.cores.push_back({.os = {}, .domain = domain_id{d}, .package = {}, .kind = 0, .pus = {}});
    parts.domains.push_back(
        {.package = {}, .cores = {core_id{d}}, .caches = {{3, (d == 0 ? 8 : 2) * MiB, 1}}, .nodes = {}});
  }
  const profile measured = heat_profile(6, 16 * MiB);
  const auto roots = subtrees_of(laws.next(machine(std::move(parts)), measured, {}), measured.tree());
  ASSERT_EQ(roots.size(), 5U);
  EXPECT_EQ(measured.tree().depth(roots[0].node), 1U);
  EXPECT_EQ(measured.tree().depth(roots[4].node), 3U);
}

TEST(laws, tunes_down_and_up_and_settles_on_the_best) {
  for (const std::int32_t best : {0, 2, -2}) {
    profile measured = heat_profile(8, 64 * MiB);
    const plan end = settled_plan(opteron_8380(), measured, [&](std::int32_t level) {
      return 1'000'000 + 200'000U * static_cast<unsigned>(std::abs(level - best));
    });
    EXPECT_TRUE(end.standing().settled);
    EXPECT_EQ(end.why().packing_level, best);
    EXPECT_EQ(end.why().decision, plan_decision::settled);
    const std::size_t expected = best == 0 ? 16 : best == 2 ? 64 : 4;
    EXPECT_EQ(subtrees_of(end, measured.tree()).size(), expected);
    EXPECT_EQ(end.why().subtrees, expected);
    const std::uint64_t first_ns = 1'000'000U + 200'000U * static_cast<unsigned>(std::abs(best));
    EXPECT_EQ(end.why().trials.front(),
              (trial_summary{trial_of_packing(0), "first packing", iteration_digest::most_kept, first_ns, first_ns}));
  }
}

// Without any size, packing starts from a domain's whole part, and tuning can try only smaller subtrees.
TEST(laws, without_sizes_starts_from_whole_parts_and_tunes_down) {
  for (const auto& [where, source] :
       {std::pair{opteron_8380(), cost_source::time}, std::pair{machine_of(4, 4), cost_source::cache_misses}}) {
    profile measured = heat_profile(6, 64 * MiB, source);
    EXPECT_EQ(subtrees_of(laws.next(where, measured, {}), measured.tree()).size(), 4U);
    const plan end =
        settled_plan(where, measured, [](std::int32_t level) { return level == 1 ? 500'000U : 1'000'000U; });
    EXPECT_EQ(subtrees_of(end, measured.tree()).size(), 8U);
  }
}

TEST(laws, uses_the_size_of_the_input_where_nothing_was_counted) {
  const profile timed = heat_profile(8, 64 * MiB, cost_source::time, 64 * MiB);
  EXPECT_EQ(subtrees_of(laws.next(opteron_8380(), timed, {}), timed.tree()).size(), 16U);
}

// A leaf holds the data of two of four domains, so three subtrees would hold all data. Then the fourth domain could
// help no other.
TEST(laws, a_leaf_that_spans_leaves_no_domain_without_a_subtree) {
  task_tree tree;
  const tree_node rest{index_of(tree.try_fork(tree_root, 2)) + 1};
  const auto quarters = index_of(tree.try_fork(rest, 2));
  for (std::uint32_t i = 0; i < 2; ++i) (void)tree.try_fork(tree_node{quarters + i}, 2);
  profile measured(std::move(tree), cost_source::cache_misses);
  for (std::uint32_t i = 1; i < measured.tree().size(); ++i) measured.record(tree_node{i}, {1024, 1000});
  measured.complete();
  const auto roots = subtrees_of(laws.next(opteron_8380(), measured, {}), measured.tree());
  std::vector<std::uint16_t> homes;
  for (const met_task& root : roots) homes.push_back(root.where.domain);
  EXPECT_EQ(homes, (std::vector<std::uint16_t>{0, 2, 2, 3, 3}));
}

// One at a time is for the cache that its cores share. On tiles of Knights Landing they have none in common.
TEST(laws, runs_subtrees_at_once_where_the_cores_of_a_domain_share_no_cache) {
  const auto any_takes_another = [](const machine& where) {
    return opens(laws.order(where, phase::running), {.domain_busy = true, .planned = true}, look::own_high_pool);
  };
  EXPECT_TRUE(any_takes_another(machine_of(4, 4, MiB, 2)));
  EXPECT_FALSE(any_takes_another(machine_of(4, 4, MiB, 4)));
  EXPECT_FALSE(any_takes_another(machine_of(4, 4))) << "no cache is known";
}

TEST(laws, packs_subtrees_that_run_at_once_for_one_cores_part_of_a_cache) {
  const profile measured = heat_profile(7, 16 * MiB);
  const auto subtrees_on = [&](const machine& where) {
    return subtrees_of(laws.next(where, measured, {}), measured.tree()).size();
  };
  EXPECT_EQ(subtrees_on(machine_of(4, 4, 4 * MiB, 4)), 4U);
  EXPECT_EQ(subtrees_on(machine_of(4, 4, 2 * MiB, 2)), 16U);
}

TEST(laws_nc, keeps_a_domains_tasks_together) {
  const profile measured = heat_profile(8, 64 * MiB);
  const plan made = laws_nc.next(opteron_8380(), measured, {});
  const auto roots = subtrees_of(made, measured.tree());
  ASSERT_EQ(roots.size(), 4U);
  for (std::uint16_t i = 0; i < 4; ++i) EXPECT_EQ(roots[i].where.domain, i);
  EXPECT_TRUE(made.standing().settled) << "there is nothing to tune";
  EXPECT_EQ(made.why().decision, plan_decision::packed);
}

TEST(laws_nc, cuts_where_borders_demand_it) {
  const profile measured = heat_profile(8, 64 * MiB);
  const auto roots = subtrees_of(laws_nc.next(machine_of({3, 1, 2}, MiB), measured, {}), measured.tree());
  std::vector<double> held(3, 0);
  for (const met_task& root : roots) held.at(root.where.domain) += measured.share(root.node).width();
  for (const double share : held) EXPECT_NEAR(share, 1.0 / 3, 1.0 / 256);
}

TEST(laws, leaves_to_plain_stealing_what_has_nothing_to_gain) {
  profile bound = heat_profile(5, 64 * MiB);
  bound.record(tree_root, {0, 10'000'000'000});
  bound.complete();
  for (const laws_policy* one : {&laws, &laws_nc}) {
    const plan cpu = one->next(opteron_8380(), bound, {});
    EXPECT_TRUE(cpu.empty());
    EXPECT_TRUE(cpu.standing().settled);
    EXPECT_EQ(cpu.why().decision, plan_decision::cpu_bound);
    EXPECT_EQ(one->next(opteron_8380(), heat_profile(0, MiB), {}).why().decision, plan_decision::no_forks);
    for (const plan& single : {one->first(machine_of(1, 4, MiB), {.name = "heat"}),
                               one->next(machine_of(1, 4, MiB), heat_profile(5, MiB), {})}) {
      EXPECT_TRUE(single.empty());
      EXPECT_TRUE(single.standing().settled);
      EXPECT_EQ(single.why().decision, plan_decision::one_domain);
    }
  }
}

}  // namespace
}  // namespace nearfork

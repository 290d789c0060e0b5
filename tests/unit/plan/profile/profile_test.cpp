#include "plan/profile/profile.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "random_tree.hpp"
#include "unit/plan/mebibyte.hpp"

namespace nearfork {
namespace {

using test::MiB;

// A-CAB, Fig. 5: a root with two children that have two leaves each; apart from a little, only leaves touch data.
TEST(profile, sums_costs_bottom_up) {
  profile measured(regular_tree(2, 2), cost_source::cache_misses);
  for (std::uint32_t leaf = 3; leaf < 7; ++leaf) measured.record(tree_node{leaf}, {4 * MiB, 10});
  measured.record(tree_node{1}, {64, 1});
  measured.record(tree_root, {128, 2});
  measured.complete();
  EXPECT_EQ(measured.total(tree_node{3}), (task_cost{4 * MiB, 10}));
  EXPECT_EQ(measured.total(tree_node{1}), (task_cost{8 * MiB + 64, 21}));
  EXPECT_EQ(measured.total(tree_node{2}), (task_cost{8 * MiB, 20}));
  EXPECT_EQ(measured.total(tree_root), (task_cost{16 * MiB + 64 + 128, 43}));
  EXPECT_EQ(measured.own(tree_root), (task_cost{128, 2}));
  EXPECT_EQ(measured.tasks(tree_root), 7U);
  EXPECT_EQ(measured.tasks(tree_node{2}), 3U);
}

// LAWS, Fig. 4: task a2, third of a root's children's children, works on [D/3, D/2).
TEST(profile, splits_shares_as_the_papers_example) {
  task_tree tree;
  const tree_node halves = tree.try_fork(tree_root, 2);
  const tree_node thirds = tree.try_fork(halves, 3);
  profile measured(std::move(tree), cost_source::time);
  measured.complete();
  const data_share last = measured.share(tree_node{index_of(thirds) + 2});
  EXPECT_DOUBLE_EQ(last.lo, 1.0 / 3);
  EXPECT_EQ(last.hi, 0.5);
}

TEST(profile, each_fork_of_a_task_splits_the_whole_share) {
  task_tree tree;
  (void)tree.try_fork(tree_root, 2);
  const tree_node merge = tree.try_fork(tree_root, 4);
  profile measured(std::move(tree), cost_source::time);
  measured.complete();
  EXPECT_EQ(measured.share(merge), (data_share{0, 0.25}));
}

TEST(profile, takes_bytes_from_shares_where_nobody_counted) {
  profile measured(regular_tree(2, 2), cost_source::time, 4096);
  measured.record(tree_node{3}, {.time_ns = 70});
  measured.take_bytes_from_shares();
  EXPECT_EQ(measured.source(), cost_source::placed_bytes);
  EXPECT_EQ(measured.total(tree_root), (task_cost{.size_bytes = 4096, .time_ns = 70}));
  EXPECT_EQ(measured.total(tree_node{1}).size_bytes, 2048U);
  EXPECT_EQ(measured.own(tree_node{1}).size_bytes, 0U);
  EXPECT_EQ(measured.own(tree_node{3}), (task_cost{.size_bytes = 1024, .time_ns = 70}));
}

TEST(profile, stays_with_time_where_nobody_knows_the_size_of_the_data) {
  profile measured(regular_tree(2, 2), cost_source::time);
  measured.take_bytes_from_shares();
  EXPECT_EQ(measured.source(), cost_source::time);
  EXPECT_EQ(measured.total(tree_root).size_bytes, 0U);
}

TEST(profile, keeps_iterations_in_order) {
  profile measured(task_tree{}, cost_source::time);
  measured.add_iteration({.duration_ns = 5,
                          .steals_between_domains = 1,
                          .planned = false,
                          .wait_ns_of_domain = {1, 2},
                          .traffic_bytes_of_node = {}});
  measured.add_iteration({.duration_ns = 4,
                          .steals_between_domains = 0,
                          .planned = true,
                          .wait_ns_of_domain = {},
                          .traffic_bytes_of_node = {}});
  ASSERT_EQ(measured.iterations().size(), 2U);
  EXPECT_EQ(measured.iterations()[0].wait_ns_of_domain[1], 2U);
  EXPECT_TRUE(measured.iterations()[1].planned);
}

TEST(profile, of_a_region_that_recurs_for_ever_stays_small) {
  profile measured(task_tree{}, cost_source::time);
  constexpr std::uint32_t many = 10'000;
  for (std::uint32_t i = 0; i < many; ++i)
    measured.add_iteration({.duration_ns = i, .planned = true, .trial = trial_id{i / 5}});
  EXPECT_EQ(measured.iterations_seen(), many);
  ASSERT_EQ(measured.iterations().size(), profile::most_iterations);
  EXPECT_EQ(measured.iterations().back().duration_ns, many - 1);
  EXPECT_EQ(measured.iterations().front().duration_ns, many - profile::most_iterations);
  const auto last = static_cast<std::uint32_t>(profile::most_trials) - 1;
  ASSERT_NE(measured.evidence_of(trial_id{last}), nullptr);
  EXPECT_EQ(measured.evidence_of(trial_id{last})->count(), 5U);
  EXPECT_EQ(measured.evidence_of(trial_id{last + 1}), nullptr);
}

TEST(profile, keeps_apart_what_cannot_be_compared) {
  profile measured(task_tree{}, cost_source::time);
  measured.add_iteration({.duration_ns = 1000, .profiled = true, .planned = true});
  measured.add_iteration({.duration_ns = 10, .planned = true});
  measured.add_iteration({.duration_ns = 20, .planned = true, .trial = trial_id{1}});
  measured.add_iteration({.duration_ns = 30});
  EXPECT_EQ(measured.evidence_of(trial_id{0})->count(), 1U) << "not the one that was slowed down by recording";
  EXPECT_EQ(measured.evidence_of(trial_id{0})->longest_ns(), 10U);
  EXPECT_EQ(measured.evidence_of(trial_id{1})->longest_ns(), 20U);
  EXPECT_EQ(measured.evidence_of(trial_id{2}), nullptr);
  EXPECT_EQ(measured.plain().count(), 1U);
  EXPECT_EQ(measured.plain().longest_ns(), 30U);
  EXPECT_EQ(measured.iterations_seen(), 4U);
}

// A-CAB Eq. 2: 64 MiB over branching degrees 2 and 4.
TEST(size_by_branching, divides_by_the_degrees_of_all_ancestors) {
  task_tree tree;
  const tree_node child = tree.try_fork(tree_root, 2);
  const tree_node grandchild = tree.try_fork(child, 4);
  EXPECT_EQ(size_by_branching(tree, tree_root, 64.0), 64.0);
  EXPECT_EQ(size_by_branching(tree, child, 64.0), 32.0);
  EXPECT_EQ(size_by_branching(tree, grandchild, 64.0), 8.0);
}

RC_GTEST_PROP(profile, costs_are_conserved, (std::uint64_t seed)) {
  profile measured(random_tree(seed, 300), cost_source::time);
  rng random(seed + 1);
  task_cost all;
  for (std::uint32_t i = 0; i < measured.tree().size(); ++i) {
    const task_cost own{random.below(1000), random.below(1000)};
    measured.record(tree_node{i}, own);
    all += own;
  }
  measured.complete();
  RC_ASSERT(measured.total(tree_root) == all);
  RC_ASSERT(measured.tasks(tree_root) == measured.tree().size());
}

RC_GTEST_PROP(share_of_child, the_last_ends_exactly_where_its_parent_does, (std::uint64_t seed)) {
  rng random(seed);
  const double lo = random.below(1'000'000) / 2e6;
  const data_share parent{lo, lo + random.below(1'000'000) / 3e6};
  const auto branching = 1 + random.below(9);
  RC_ASSERT(share_of_child(parent, {0, branching}).lo == parent.lo);
  RC_ASSERT(share_of_child(parent, {branching - 1, branching}).hi == parent.hi);
}

// A fork neither loses a byte of the parent's share nor gives a byte twice.
RC_GTEST_PROP(profile, the_shares_of_a_fork_tile_the_parents, (std::uint64_t seed)) {
  profile measured(random_tree(seed, 300), cost_source::time);
  measured.complete();
  for (std::uint32_t i = 0; i < measured.tree().size(); ++i) {
    const data_share whole = measured.share(tree_node{i});
    measured.tree().for_each_fork(tree_node{i}, [&](tree_node first, std::uint32_t branching) {
      double reached = whole.lo;
      for (std::uint32_t k = 0; k < branching; ++k) {
        const data_share part = measured.share(tree_node{index_of(first) + k});
        RC_ASSERT(part.lo == reached);
        RC_ASSERT(part.lo <= part.hi);
        reached = part.hi;
      }
      RC_ASSERT(reached == whole.hi);
    });
  }
}

}  // namespace
}  // namespace nearfork

#include "plan/policies/bats_policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "heat_profile.hpp"
#include "unit/plan/crew/two_memories.hpp"
#include "unit/plan/plans/planned_paths.hpp"

namespace nearfork {
namespace {

using testing::Contains;
using testing::HasSubstr;

const bats_policy bats("bats", {.by_bandwidth = true, .balanced = true, .located = true});

/// Each domain has a slow node, numbered first, and one that is four times as fast.
machine with_fast_nodes(std::uint32_t domains, bool tells_bandwidths = true) {
  second_memory fast;
  if (!tells_bandwidths) fast.mib_per_s.reset();
  return with_second_nodes(domains, fast);
}

/// `heat_of_node[i]`: in ten equal chunks.
gauging gauged_with(const std::vector<double>& heat_of_node) {
  gauging made;
  for (std::uint32_t node = 0; node < heat_of_node.size(); ++node)
    for (std::uint64_t i = 0; i < 10; ++i) {
      const std::uint64_t begin = made.chunks.size() * 8;
      made.chunks.push_back({.begin = begin, .end = begin + 8, .node = node_id{node}, .heat = heat_of_node[node] / 10});
    }
  return made;
}

profile heat_with(locality_source locality, const gauging& seen) {
  profile measured = heat_profile(10, 1 << 26);
  measured.know_locality_by(locality);
  measured.take_gauging(seen);
  return measured;
}

TEST(bats, spreads_data_by_bandwidth_before_anything_is_known) {
  const plan made = bats.first(with_fast_nodes(2), {.name = "heat"});
  EXPECT_TRUE(made.empty());
  EXPECT_FALSE(made.standing().settled);
  EXPECT_EQ(made.data().nodes, (std::vector<node_id>{node_id{0}, node_id{1}, node_id{2}, node_id{3}}));
  EXPECT_THAT(made.data().borders, testing::Pointwise(testing::DoubleEq(), {0.0, 0.1, 0.2, 0.6, 1.0}));
}

TEST(bats, may_keep_the_nodes_of_a_domain_together) {
  const bats_policy beside("bats", {.by_bandwidth = true}, locate_rule::first, node_order::domain);
  const plan made = beside.first(with_fast_nodes(2), {});
  EXPECT_EQ(made.data().nodes, (std::vector<node_id>{node_id{0}, node_id{2}, node_id{1}, node_id{3}}));
  EXPECT_TRUE(made.standing().settled) << "there is nothing to learn";
}

TEST(bats, says_that_bandwidths_are_not_known) {
  const plan made = bats.first(with_fast_nodes(2, false), {});
  EXPECT_THAT(made.data().borders, testing::Pointwise(testing::DoubleEq(), {0.0, 0.25, 0.5, 0.75, 1.0}));
  EXPECT_THAT(lines_of(made.why()), Contains(HasSubstr("bandwidths are not known")));
}

TEST(bats, moves_hot_chunks_and_looks_for_homes_once_the_moves_are_judged) {
  const machine where = with_fast_nodes(2);
  profile measured = heat_with(locality_source::shares, gauged_with({40, 20, 20, 20}));
  plan now = bats.next(where, measured, bats.first(where, {}));
  EXPECT_TRUE(now.empty());
  EXPECT_EQ(now.why().decision, plan_decision::moving_data);
  ASSERT_FALSE(now.data().moves.empty());
  for (const chunk_move& one : now.data().moves) EXPECT_GE(index_of_id(one.to), 2U) << "to the fast nodes";
  const std::vector<chunk_move> moves = now.data().moves;
  for (int most = 50; now.why().decision == plan_decision::moving_data && most > 0; --most) {
    measured.add_iteration({.duration_ns = 1000, .trial = now.standing().trial});
    now = bats.next(where, measured, now);
  }
  EXPECT_EQ(now.why().decision, plan_decision::located);
  EXPECT_EQ(now.data().moves, moves);
  EXPECT_TRUE(now.standing().settled);
}

TEST(bats, moves_nothing_for_a_small_imbalance) {
  const machine where = with_fast_nodes(2);
  const plan made = bats.next(where, heat_with(locality_source::shares, gauged_with({10.1, 9.9, 40, 40})), {});
  EXPECT_TRUE(made.data().moves.empty());
  EXPECT_EQ(made.why().traffic.chunks, 40U);
}

TEST(bats, keeps_room_free_for_hot_chunks_as_long_as_some_may_move) {
  const machine where = with_fast_nodes(2);
  EXPECT_GT(bats.first(where, {}).data().kept_free, 0);
  const auto kept_with = [&](const gauging& seen) {
    return bats.next(where, heat_with(locality_source::shares, seen), {}).data().kept_free;
  };
  EXPECT_GT(kept_with(gauged_with({30, 30, 20, 20})), 0);
  EXPECT_EQ(kept_with(gauged_with({10.1, 9.9, 40, 40})), 0);
  EXPECT_EQ(kept_with({}), 0);
  const bats_policy unmoved("bats-nb", {.by_bandwidth = true, .located = true});
  EXPECT_EQ(unmoved.first(where, {}).data().kept_free, 0);
}

// Acceptance case 8.
TEST(bats, does_as_without_moves_where_heat_is_not_known) {
  const machine where = with_fast_nodes(2);
  const profile measured = heat_with(locality_source::shares, {});
  const bats_policy unmoved("bats-nb", {.by_bandwidth = true, .located = true});
  const plan made = bats.next(where, measured, {});
  const plan other = unmoved.next(where, measured, {});
  EXPECT_EQ(made.data(), other.data());
  ASSERT_EQ(made.nodes().size(), other.nodes().size());
  for (std::size_t i = 0; i < made.nodes().size(); ++i) EXPECT_EQ(made.nodes()[i].where, other.nodes()[i].where);
  EXPECT_THAT(lines_of(made.why()), Contains(HasSubstr("hot data are not known")));
}

TEST(bats, finds_homes_by_shares_where_nothing_is_counted) {
  const machine where = with_fast_nodes(2);
  const profile measured = heat_with(locality_source::shares, {});
  const plan made = bats.next(where, measured, {});
  EXPECT_EQ(made.why().decision, plan_decision::located);
  // Node 0 has [0, 0.1), 1 to 0.2, 2 to 0.6, 3 the rest; 0 and 2 are the first domain's.
  for (const met_task& root : subtrees_of(made, measured.tree())) {
    const data_share share = measured.share(root.node);
    const double middle = (share.lo + share.hi) / 2;
    if (share.width() > 0.05 || std::abs(middle - 0.1) < 0.03 || std::abs(middle - 0.2) < 0.03) continue;
    EXPECT_EQ(root.where.domain, middle < 0.1 || (middle > 0.2 && middle < 0.6) ? 0 : 1) << middle;
  }
}

TEST(bats, counts_round_by_round_where_accesses_are_counted) {
  const machine where = with_fast_nodes(2);
  profile measured = heat_with(locality_source::counted, {});
  plan now = bats.next(where, measured, {});
  EXPECT_EQ(now.why().decision, plan_decision::locating);
  EXPECT_TRUE(now.locates());
  EXPECT_FALSE(now.may_cross(0)) << "nothing remote while homes are looked for";
  std::vector<subtree_traffic> seen;
  for (const met_task& root : subtrees_of(now, measured.tree()))
    seen.push_back({.root = root.node, .domain = root.where.domain, .local = 3, .remote = 1});
  measured.add_traffic(seen);
  now = bats.next(where, measured, now);
  EXPECT_EQ(now.why().decision, plan_decision::located);
  EXPECT_FALSE(now.locates());
  EXPECT_TRUE(now.may_cross(0));
}

TEST(bats, stays_plain_where_homes_cannot_be_told) {
  const machine where = with_fast_nodes(2);
  EXPECT_EQ(bats.next(where, heat_with(locality_source::nothing, {}), {}).why().decision,
            plan_decision::nothing_placed);
  profile few = heat_profile(3, 1 << 20);
  few.know_locality_by(locality_source::shares);
  EXPECT_EQ(bats.next(where, few, {}).why().decision, plan_decision::too_few_tasks);
  EXPECT_EQ(bats.next(with_fast_nodes(1), heat_with(locality_source::counted, {}), {}).why().decision,
            plan_decision::one_domain);
}

// Acceptance case 10.
TEST(bats, gives_equal_nodes_equal_shares) {
  const plan made = bats.first(machine_of(4, 4), {});
  EXPECT_THAT(made.data().borders, testing::Pointwise(testing::DoubleEq(), {0.0, 0.25, 0.5, 0.75, 1.0}));
}

}  // namespace
}  // namespace nearfork

#include "plan/traffic/near_turns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "plan/plans/domain_share.hpp"
#include "plan/traffic/node_parts.hpp"
#include "unit/plan/crew/two_memories.hpp"

namespace nearfork {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

const second_memory late{.kind = memory_kind::cxl, .mib_per_s = 250, .ns = 276};
const second_memory unknown{.mib_per_s = {}};

constexpr std::uint64_t pages_of_block = 1 << 14;

/// How much of the pages [begin, end) each node gets, where the parts are put on a block.
std::vector<double> held(const machine& where, const data_parts& parts, double begin, double end) {
  std::vector<double> made(where.nodes().size(), 0);
  const block_extent block{.bytes = pages_of_block, .page_bytes = 1};
  const page_split asked{
      {static_cast<std::uint64_t>(begin * pages_of_block), static_cast<std::uint64_t>(end * pages_of_block), {}}};
  for (const page_run& run : part_of(dealt_out(split_at(block, parts.borders, parts.nodes), block, parts.turns), asked))
    made[index_of_id(run.node)] += static_cast<double>(run.end - run.begin) / pages_of_block;
  return made;
}

// Also within a small piece of a domain's part, so a domain that works on that piece reads both nodes.
TEST(near_turns, give_each_node_of_a_domain_what_its_bandwidth_stands_for) {
  const machine where = with_second_nodes(2, {});
  const data_parts parts = parts_in_turn(where, {0, 0.25, 1}, near_nodes::early);
  const auto near = [](double value) { return DoubleNear(value, 0.01); };
  EXPECT_THAT(held(where, parts, 0, 0.25), ElementsAre(near(0.05), near(0), near(0.2), near(0)));
  EXPECT_THAT(held(where, parts, 0.25, 1), ElementsAre(near(0), near(0.15), near(0), near(0.6)));
  EXPECT_THAT(held(where, parts, 0.5, 0.6), ElementsAre(near(0), near(0.02), near(0), near(0.08)));
}

TEST(near_turns, leave_memory_that_answers_late_to_those_who_ask_for_all) {
  const machine where = with_second_nodes(2, late);
  EXPECT_FALSE(has_several(where, near_nodes::early));
  EXPECT_TRUE(has_several(where, near_nodes::all));
  EXPECT_THAT(held(where, parts_in_turn(where, even_borders(2), near_nodes::early), 0, 1), ElementsAre(0.5, 0.5, 0, 0));
  EXPECT_NEAR(held(where, parts_in_turn(where, even_borders(2), near_nodes::all), 0, 1)[2], 0.1, 0.01);
}

TEST(near_turns, know_late_memory_by_its_kind_where_no_latency_is_given) {
  EXPECT_FALSE(has_several(with_second_nodes(2, {.kind = memory_kind::cxl}), near_nodes::early));
  EXPECT_TRUE(has_several(with_second_nodes(2, {.kind = memory_kind::hbm}), near_nodes::early));
}

TEST(near_turns, are_not_made_where_bandwidths_are_not_known) {
  const machine where = with_second_nodes(2, unknown);
  EXPECT_FALSE(has_several(where, near_nodes::all));
  EXPECT_EQ(bandwidth_near(where, near_nodes::all), 0);
  EXPECT_TRUE(parts_in_turn(where, even_borders(2), near_nodes::all).turns.empty());
}

/// Four domains around one pair of nodes.
machine around_one_pair() {
  machine_parts parts = with_second_nodes(4, {}).parts();
  for (domain& one : parts.domains) one.nodes = {node_id{0}, node_id{4}};
  for (memory_node& one : parts.nodes) one.domains.clear();
  for (std::uint32_t d = 0; d < 4; ++d)
    for (const std::size_t node : {0U, 4U}) parts.nodes[node].domains.push_back(domain_id{d});
  return machine(std::move(parts));
}

TEST(near_turns, count_the_bandwidth_of_a_shared_node_once) {
  EXPECT_DOUBLE_EQ(bandwidth_near(around_one_pair(), near_nodes::all), 5000 * 1048576.0 / 1e9);
}

TEST(near_turns, of_domains_that_share_nodes_are_the_same) {
  const data_parts parts = parts_in_turn(around_one_pair(), even_borders(4), near_nodes::all);
  EXPECT_EQ(parts.turns.size(), 1);
  EXPECT_NEAR(held(around_one_pair(), parts, 0, 1)[4], 0.8, 0.005);  // to a 128th
}

TEST(near_turns, leave_data_to_the_nearest_node_where_none_is_local) {
  machine_parts parts = machine_of(2, 4).parts();
  parts.domains[1].nodes.clear();
  parts.domains[1].nearest = node_id{0};
  const machine where(std::move(parts));
  EXPECT_THAT(held(where, parts_in_turn(where, even_borders(2), near_nodes::early), 0, 1), ElementsAre(1, 0));
}

TEST(near_turns, are_told_by_node) {
  traffic_summary told;
  tell_parts(around_one_pair(), parts_in_turn(around_one_pair(), even_borders(4), near_nodes::all), told);
  EXPECT_THAT(told.os_nodes, testing::UnorderedElementsAre(0, 4));
  EXPECT_THAT(told.data_shares, testing::UnorderedElementsAre(DoubleNear(0.2, 0.02), DoubleNear(0.8, 0.02)));
}

}  // namespace
}  // namespace nearfork

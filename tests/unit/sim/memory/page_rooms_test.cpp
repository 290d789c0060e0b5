#include "sim/memory/pages/page_rooms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>
#include <utility>

#include <nearfork/error.hpp>

#include "message_of.hpp"
#include "unit/sim/machine/hand_models.hpp"

namespace nearfork::sim {
namespace {

using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t page = 4096;

/// Nodes of 1, 1, 4 and 4 times the bandwidth; 8, 8, 2 and 2 pages.
machine_model four_nodes(const machine& where) {
  machine_model made = round_model(where);
  made.node_line_ps = {4000, 4000, 1000, 1000};
  made.node_bytes = {8 * page, 8 * page, 2 * page, 2 * page};
  return made;
}

std::vector<std::uint16_t> meant_by(const page_placing& how, const std::vector<data_array>& arrays,
                                    std::uint64_t pages) {
  const machine where = machine_of(4, 1);
  page_map map(pages);
  apply(how, where, four_nodes(where), arrays, map);
  std::vector<std::uint16_t> made;
  for (std::uint64_t i = 0; i < pages; ++i) made.push_back(map.meant(i));
  return made;
}

constexpr std::uint16_t none = page_map::nowhere;

TEST(page_rooms, by_bandwidth_are_contiguous_parts) {
  EXPECT_THAT(meant_by({.how = placing_rule::by_bandwidth}, {{0, 10 * page}}, 11),
              ElementsAre(0, 1, 2, 2, 2, 2, 3, 3, 3, 3, none));
}

TEST(page_rooms, each_array_is_split_by_itself) {
  EXPECT_THAT(meant_by(placing_called("by-weights:0=1,3=1"), {{0, 4 * page}, {4 * page, 2 * page}}, 6),
              ElementsAre(0, 0, 3, 3, 0, 3));
  EXPECT_THAT(meant_by({.how = placing_rule::by_capacity}, {{0, 10 * page}}, 10),
              ElementsAre(0, 0, 0, 0, 1, 1, 1, 1, 2, 3));
}

TEST(page_rooms, in_turn) {
  EXPECT_THAT(meant_by({.how = placing_rule::interleaved}, {{page, 5 * page}}, 7),
              ElementsAre(none, 1, 2, 3, 0, 1, none));
  EXPECT_THAT(meant_by(placing_called("interleaved:2,0"), {{0, 3 * page}}, 3), ElementsAre(2, 0, 2));
  const auto turns = meant_by({.how = placing_rule::interleaved_by_bandwidth}, {{0, 100 * page}}, 100);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(turns, 2)), 40, 4);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(turns, 0)), 10, 2);
}

TEST(page_rooms, a_page_of_two_arrays_belongs_to_the_first) {
  EXPECT_THAT(meant_by(placing_called("by-weights:1=1,2=1"), {{0, page + 8}, {page + 16, page}}, 3),
              ElementsAre(1, 2, 2));
}

TEST(page_rooms, preferred_is_a_wish_and_first_write_is_none) {
  EXPECT_THAT(meant_by(placing_called("preferred:2"), {{0, 2 * page}}, 3), ElementsAre(2, 2, none));
  EXPECT_THAT(meant_by({}, {{0, 2 * page}}, 2), ElementsAre(none, none));
  EXPECT_THAT(meant_by({.how = placing_rule::follow_plan}, {{0, 2 * page}}, 2), ElementsAre(none, none));
}

TEST(page_rooms, in_hbm_alone_are_all_pages_while_it_has_room) {
  machine_parts parts = machine_of(4, 1).parts();
  parts.nodes[2].kind = memory_kind::hbm;
  parts.nodes[3].kind = memory_kind::hbm;
  const machine where(std::move(parts));
  page_map map(5, room_of(where, four_nodes(where)));
  const data_array all[] = {{0, 5 * page}};
  apply({.how = placing_rule::hbm_only}, where, four_nodes(where), all, map);
  for (std::uint64_t i = 0; i < 4; ++i) map.write(i, 0);
  EXPECT_EQ(map.counts().of_node.at(2), 2U);
  EXPECT_EQ(map.counts().of_node.at(3), 2U);
  EXPECT_THROW((void)map.write(4, 0), memory_full);
}

TEST(page_rooms, refuses_what_the_machine_lacks) {
  const machine where = machine_of(2, 1);
  machine_model model = round_model(where);
  EXPECT_THAT(message_of([&] { require_fit(placing_called("bound:7"), where, model); }),
              HasSubstr("has no memory node 7; its nodes are 0, 1"));
  EXPECT_THAT(message_of([&] { require_fit(placing_called("hbm-only"), where, model); }),
              HasSubstr("has no memory node of that kind; its nodes are 0, 1"));
  EXPECT_THAT(message_of([&] { require_fit(placing_called("by-capacity"), where, model); }),
              HasSubstr("does not say how much memory"));
}

TEST(page_rooms, the_nearest_come_first) {
  const machine where = machine_of(3, 1);
  const node_room made = room_of(where, round_model(where));
  EXPECT_THAT(made.pages, testing::IsEmpty()) << "this machine does not say";
  EXPECT_THAT(made.nearest, ElementsAre(ElementsAre(0, 1, 2), ElementsAre(1, 0, 2), ElementsAre(2, 0, 1)));
}

// DRAM of other packages is nearer than HBM on this machine, by its own table: 21 and 31.
TEST(page_rooms, the_machines_table_says_what_is_near) {
  const auto where = load_machine("xeon-phi-7210");
  const node_room made = room_of(*where, model_of(*where));
  EXPECT_EQ(made.nearest[0].front(), 0);
  EXPECT_EQ(where->nodes()[made.nearest[0][1]].kind, memory_kind::dram);
  EXPECT_EQ(where->nodes()[made.nearest[0].back()].kind, memory_kind::hbm);
  EXPECT_EQ(made.pages.size(), where->nodes().size());
}

RC_GTEST_PROP(page_rooms, every_page_of_an_array_is_meant_for_one_named_node, ()) {
  const auto weights = *rc::gen::container<std::vector<std::uint32_t>>(4, rc::gen::inRange<std::uint32_t>(0, 9));
  RC_PRE(std::accumulate(weights.begin(), weights.end(), 0U) > 0);
  page_placing how{.how = *rc::gen::element(placing_rule::by_weights, placing_rule::interleaved_by_weights)};
  for (std::uint32_t i = 0; i < 4; ++i) how.nodes.push_back({i, static_cast<double>(weights[i])});
  const auto bytes = *rc::gen::inRange<std::uint64_t>(1, 60 * page);
  const std::uint64_t pages = (bytes + page - 1) / page;
  const auto meant = meant_by(how, {{0, bytes}}, pages + 1);
  for (std::uint64_t i = 0; i < pages; ++i) RC_ASSERT(meant[i] < 4 && weights[meant[i]] > 0);
  RC_ASSERT(meant[pages] == none);
}

}  // namespace
}  // namespace nearfork::sim

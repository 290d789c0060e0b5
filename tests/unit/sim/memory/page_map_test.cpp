#include "sim/memory/pages/page_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include <nearfork/error.hpp>

#include "message_of.hpp"

namespace nearfork::sim {
namespace {

using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

/// Nodes on a line: the nearer number is the nearer node.
node_room rooms_of(std::vector<std::uint64_t> pages) {
  node_room made{.pages = std::move(pages), .nearest = {}};
  const auto nodes = static_cast<std::uint16_t>(made.pages.size());
  for (std::uint16_t from = 0; from < nodes; ++from) {
    auto& order = made.nearest.emplace_back(nodes);
    std::iota(order.begin(), order.end(), std::uint16_t{0});
    std::ranges::stable_sort(order, {}, [from](std::uint16_t to) { return from > to ? from - to : to - from; });
  }
  return made;
}

TEST(page_map, keeps_a_page_where_it_was_touched_first) {
  page_map pages(3);
  pages.write(0, 2);
  pages.write(0, 1);
  EXPECT_EQ(pages.read(0, 1), 2U);
  EXPECT_EQ(pages.read(1, 3), 3U) << "data from nowhere";
  pages.write(1, 0);
  EXPECT_EQ(pages.node_of(1), 3U);
  EXPECT_THAT(pages.counts().of_node, ElementsAre(0, 0, 1, 1));
}

TEST(page_map, may_wait_for_a_write) {
  page_map pages(2);
  pages.wait_for_writes();
  EXPECT_EQ(pages.read(0, 3), 3U) << "the page of zeros is near everyone";
  EXPECT_EQ(pages.read(0, 1), 1U);
  pages.write(0, 2);
  EXPECT_EQ(pages.read(0, 1), 2U);
  pages.place(1, 5);
  pages.write(1, 0);
  EXPECT_EQ(pages.read(1, 0), 5U);
}

TEST(page_map, a_page_that_is_meant_for_a_node_goes_there) {
  page_map pages(3, rooms_of({8, 8, 8}));
  pages.mean(1, 2);
  for (std::uint64_t page = 0; page < 3; ++page) pages.write(page, 0);
  EXPECT_EQ(pages.node_of(0), 0U);
  EXPECT_EQ(pages.node_of(1), 2U);
  EXPECT_EQ(pages.counts().fell_back, 0U);
}

TEST(page_map, a_full_node_is_replaced_by_the_nearest_with_room) {
  page_map pages(6, rooms_of({2, 1, 0, 3}));
  for (std::uint64_t page = 0; page < 6; ++page) pages.write(page, 1);
  EXPECT_THAT(pages.counts().of_node, ElementsAre(2, 1, 0, 3));
  EXPECT_EQ(pages.node_of(0), 1U);
  EXPECT_EQ(pages.node_of(1), 0U) << "as near as node 2, which has no memory";
  EXPECT_EQ(pages.node_of(3), 3U);
  EXPECT_EQ(pages.counts().fell_back, 5U);
}

TEST(page_map, takes_what_is_kept_free_for_moves_and_where_no_other_node_has_room) {
  page_map pages(9, rooms_of({4, 4}));
  pages.keep_free(0.25);
  for (std::uint64_t page = 0; page < 6; ++page) pages.write(page, 1);
  EXPECT_THAT(pages.counts().of_node, ElementsAre(3, 3));
  EXPECT_FALSE(pages.move(5, 1, page_map::room_use::unkept));
  EXPECT_TRUE(pages.move(5, 1, page_map::room_use::all));
  EXPECT_FALSE(pages.move(4, 1, page_map::room_use::all));
  for (std::uint64_t page = 6; page < 8; ++page) pages.write(page, 1);
  EXPECT_THAT(pages.counts().of_node, ElementsAre(4, 4));
  EXPECT_THROW(pages.write(8, 1), memory_full);
}

TEST(page_map, refuses_when_all_nodes_are_full) {
  page_map pages(4, rooms_of({1, 1}));
  pages.write(0, 0);
  pages.write(1, 0);
  EXPECT_THAT(message_of([&] { pages.write(3, 0); }),
              testing::AllOf(HasSubstr("page 3 of 4"), HasSubstr("2 pages fill all memory nodes"),
                             HasSubstr("--node-capacity")));
  EXPECT_THROW((void)pages.read(2, 0), memory_full);
  EXPECT_EQ(pages.node_of(3), page_map::nowhere) << "nothing has changed";
}

TEST(page_map, pages_that_are_bound_go_to_the_nearest_of_their_nodes_alone) {
  page_map pages(5, rooms_of({9, 1, 9, 1}));
  const std::uint16_t nodes[] = {1, 3};
  pages.bind_all(nodes);
  pages.write(0, 0);
  EXPECT_EQ(pages.node_of(0), 1U);
  pages.write(1, 0);
  EXPECT_EQ(pages.node_of(1), 3U);
  EXPECT_EQ(pages.counts().fell_back, 0U) << "it is where it shall be";
  EXPECT_THAT(message_of([&] { pages.write(2, 0); }), HasSubstr("that pages are bound to"));
}

TEST(page_map, moves_a_page_only_to_a_node_with_room) {
  page_map pages(3, rooms_of({2, 1}));
  pages.write(0, 0);
  pages.write(1, 0);
  EXPECT_TRUE(pages.move(0, 1));
  EXPECT_FALSE(pages.move(1, 1));
  EXPECT_EQ(pages.node_of(0), 1U);
  EXPECT_EQ(pages.node_of(1), 0U);
  EXPECT_TRUE(pages.move(0, 1)) << "it is there";
  EXPECT_EQ(pages.counts(), (page_counts{.of_node = {1, 1}, .moved = 1, .stuck = 1}));
}

TEST(page_map, a_page_may_be_placed_anew) {
  page_map pages(2, rooms_of({1, 1}));
  pages.place(0, 0);
  pages.place(0, 1);
  pages.place(1, 0);
  EXPECT_THAT(pages.counts().of_node, ElementsAre(1, 1));
}

RC_GTEST_PROP(page_map, every_page_is_in_one_place_and_no_node_holds_too_much, ()) {
  const auto nodes = *rc::gen::inRange<std::size_t>(1, 6);
  const auto room = *rc::gen::container<std::vector<std::uint64_t>>(nodes, rc::gen::inRange<std::uint64_t>(0, 12));
  constexpr std::uint64_t size = 24;
  page_map pages(size, rooms_of(room));
  const std::uint64_t all_room = std::accumulate(room.begin(), room.end(), std::uint64_t{0});
  std::vector<std::uint16_t> expected(size, page_map::nowhere);
  std::uint64_t moved = 0;
  for (const std::uint32_t choice : *rc::gen::arbitrary<std::vector<std::uint32_t>>()) {
    const std::uint64_t page = choice % size;
    const auto node = static_cast<std::uint16_t>(choice / 64 % nodes);
    const auto lie = static_cast<std::uint64_t>(
        std::ranges::count_if(expected, [](std::uint16_t of_page) { return of_page != page_map::nowhere; }));
    const bool is_new = expected[page] == page_map::nowhere;
    if (choice % 3 == 0 && !is_new) {
      const bool has_room = pages.counts().of_node.size() <= node || pages.counts().of_node[node] < room[node];
      const bool stays = expected[page] == node;
      RC_ASSERT(pages.move(page, node) == (stays || (has_room && room[node] > 0)));
      if (pages.node_of(page) != expected[page]) ++moved;
      expected[page] = pages.node_of(page);
    } else if (choice % 3 == 1 && is_new) {
      pages.mean(page, node);
    } else if (is_new && lie == all_room) {
      RC_ASSERT_THROWS_AS(pages.write(page, node), error);
    } else {
      pages.write(page, node);
      if (is_new) expected[page] = pages.node_of(page);
    }
    RC_ASSERT(pages.node_of(page) == expected[page]);
  }
  std::vector<std::uint64_t> on(nodes, 0);
  for (const std::uint16_t node : expected)
    if (node != page_map::nowhere) ++on[node];
  for (std::size_t i = 0; i < nodes; ++i) {
    RC_ASSERT(on[i] <= room[i]);
    RC_ASSERT((i < pages.counts().of_node.size() ? pages.counts().of_node[i] : 0) == on[i]);
  }
  RC_ASSERT(pages.counts().moved == moved);
}

}  // namespace
}  // namespace nearfork::sim

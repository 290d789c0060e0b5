#include "sim/machine/link_network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <nearfork/error.hpp>

namespace nearfork::sim {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t ns = 1000;

/// 0-1, 1-3, 0-2, 2-3: the square of four Opterons; each link takes 10 ns for a line.
interconnect square() {
  return {.seats = 4, .links = {{0, 1, 10 * ns}, {1, 3, 10 * ns}, {0, 2, 10 * ns}, {2, 3, 10 * ns}}};
}

std::string complaint(const interconnect& between) {
  try {
    (void)link_network(between);
  } catch (const error& wrong) {
    return wrong.what();
  }
  return "accepted";
}

TEST(link_network, goes_the_shortest_way) {
  const link_network links(square());
  EXPECT_THAT(links.way(0, 0), IsEmpty());
  EXPECT_THAT(links.way(0, 1), ElementsAre(0U));
  EXPECT_THAT(links.way(1, 0), ElementsAre(1U)) << "the other way";
}

/// How many pairs of seats go over each lane.
std::vector<std::uint32_t> pairs_over(const interconnect& between) {
  const link_network links(between);
  std::vector<std::uint32_t> pairs(2 * between.links.size());
  for (std::uint32_t from = 0; from < between.seats; ++from)
    for (std::uint32_t to = 0; to < between.seats; ++to)
      for (const link_network::lane one : links.way(from, to)) ++pairs[one];
  return pairs;
}

TEST(link_network, spreads_the_ways_over_the_links) {
  const link_network links(square());
  EXPECT_THAT(links.way(0, 3), ElementsAre(0U, 2U)) << "by way of 1, which comes before 2";
  EXPECT_THAT(links.way(1, 2), ElementsAre(1U, 4U)) << "by way of 0, as 1-3 is taken";
  EXPECT_THAT(links.way(2, 1), ElementsAre(6U, 3U)) << "by way of 3, as 0-1 is taken";
  EXPECT_THAT(links.way(3, 0), ElementsAre(7U, 5U)) << "by way of 2, as 3-1 is taken";
  EXPECT_THAT(pairs_over(square()), Each(2U));

  interconnect ring{.seats = 6, .links = {}};
  for (std::uint32_t seat = 0; seat < 6; ++seat) ring.links.push_back({seat, (seat + 1) % 6, 1});
  EXPECT_EQ(std::ranges::max(pairs_over(ring)), 5U) << "pairs that lie opposite: six times three links, twelve lanes";

  const interconnect twice{.seats = 3, .links = {{0, 1, 1}, {1, 2, 1}, {0, 1, 1}}};
  EXPECT_THAT(pairs_over(twice), ElementsAre(1U, 1U, 2U, 2U, 1U, 1U)) << "over both of two links";
}

TEST(link_network, counts_a_slow_link_as_busier) {
  const link_network links({.seats = 4, .links = {{0, 1, 30}, {1, 3, 30}, {0, 2, 10}, {2, 3, 10}}});
  EXPECT_THAT(links.way(0, 3), ElementsAre(4U, 6U)) << "by way of 2";
}

TEST(link_network, takes_one_line_after_the_other_each_way) {
  link_network links(square());
  for (int i = 0; i < 3; ++i) links.carry(0, 1);
  EXPECT_EQ(links.serve(0), 30 * ns);
  links.carry(0, 1);
  EXPECT_EQ(links.serve(20 * ns), 40 * ns) << "waits for the first three";
  links.carry(1, 0);
  EXPECT_EQ(links.serve(20 * ns), 30 * ns) << "nobody goes that way";
  links.carry(2, 2);
  EXPECT_EQ(links.serve(20 * ns), 20 * ns) << "no link";
  EXPECT_EQ(links.carried(), 5U);
}

TEST(link_network, a_long_way_waits_for_the_busiest_of_its_links) {
  link_network links(square());
  for (int i = 0; i < 4; ++i) links.carry(1, 3);
  EXPECT_EQ(links.serve(0), 40 * ns);
  links.carry(0, 3);
  EXPECT_EQ(links.serve(10 * ns), 50 * ns) << "0-1 at 20, 1-3 at 50";
  EXPECT_EQ(links.carried(), 6U);
}

TEST(link_network, is_empty_without_links) {
  link_network none(interconnect{});
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.serve(7 * ns), 7 * ns);
}

TEST(link_network, says_where_a_link_or_a_way_is_missing) {
  EXPECT_THAT(complaint({.seats = 2, .links = {{0, 2, 1}}}),
              HasSubstr("link 0-2 does not lie between two of the 2 seats"));
  EXPECT_THAT(complaint({.seats = 2, .links = {{1, 1, 1}}}), HasSubstr("link 1-1"));
  EXPECT_THAT(complaint({.seats = 4, .links = {{0, 1, 1}, {2, 3, 1}}}),
              HasSubstr("no links lead from seat 0 to seat 2"));
  EXPECT_THAT(complaint({.seats = 2, .seat_of_domain = {0, 2}, .links = {{0, 1, 1}}}), HasSubstr("no seat 2"));
}

/// In any connected net, each way leads from link to link to its destination, and is never longer than a way over a
/// third seat.
RC_GTEST_PROP(link_network, has_ways_that_are_shortest, ()) {
  const auto seats = *rc::gen::inRange<std::uint32_t>(2, 12);
  interconnect between{.seats = seats};
  for (std::uint32_t seat = 1; seat < seats; ++seat)
    between.links.push_back({*rc::gen::inRange<std::uint32_t>(0, seat), seat, 1});
  const auto more = *rc::gen::inRange(0, 6);
  for (int i = 0; i < more; ++i) {
    const auto one = *rc::gen::inRange<std::uint32_t>(1, seats);
    between.links.push_back({one, *rc::gen::inRange<std::uint32_t>(0, one), 1});
  }
  const link_network links(between);
  for (std::uint32_t from = 0; from < seats; ++from)
    for (std::uint32_t to = 0; to < seats; ++to) {
      std::uint32_t at = from;
      for (const link_network::lane lane : links.way(from, to)) {
        const link_model& by = between.links[lane / 2];
        RC_ASSERT(at == (lane % 2 == 0 ? by.one : by.other));
        at = lane % 2 == 0 ? by.other : by.one;
      }
      RC_ASSERT(at == to);
      for (std::uint32_t by = 0; by < seats; ++by)
        RC_ASSERT(links.way(from, to).size() <= links.way(from, by).size() + links.way(by, to).size());
    }
}

}  // namespace
}  // namespace nearfork::sim

#include "plan/search/victim_order.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "unit/plan/crew/layouts.hpp"

namespace nearfork {
namespace {

constexpr victim_spread spreads[] = {victim_spread::random, victim_spread::by_distance};

std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> values) {
  std::sort(values.begin(), values.end());
  return values;
}

std::vector<std::uint32_t> round_of(look where, victim_spread spread, const worker_layout& layout, std::uint32_t self,
                                    rng& random) {
  return choose_victims(victims_of({.where = where, .spread = spread}, layout, self), random);
}

TEST(victim_order, of_a_worker_alone_is_empty) {
  rng random(1);
  const worker_layout alone = layout_of({1});
  for (const look where : {look::same_domain, look::any_deque, look::remote_low_pools, look::remote_high_pools})
    EXPECT_TRUE(round_of(where, victim_spread::random, alone, 0, random).empty());
}

TEST(victim_order, stays_in_the_domain_or_leaves_it) {
  rng random(1);
  const worker_layout two = layout_of({2, 3});
  EXPECT_EQ(sorted(round_of(look::same_domain, victim_spread::random, two, 3, random)),
            (std::vector<std::uint32_t>{2, 4}));
  EXPECT_EQ(sorted(round_of(look::any_deque, victim_spread::random, two, 3, random)),
            (std::vector<std::uint32_t>{0, 1, 2, 4}));
  EXPECT_EQ(round_of(look::remote_low_pools, victim_spread::random, two, 3, random), (std::vector<std::uint32_t>{0}));
}

TEST(victim_order, places_without_victims_have_none) {
  const worker_layout two = layout_of({2, 3});
  for (const look where : {look::own_deque, look::own_high_pool, look::own_low_pool, look::injector})
    EXPECT_TRUE(victims_of({.where = where}, two, 0).empty());
}

TEST(victim_order, stops_at_the_first_that_gives) {
  rng random(7);
  const auto victims = victims_of({.where = look::any_deque}, layout_of({8}), 0);
  std::uint32_t asked = 0;
  EXPECT_TRUE(victims.ask(random, [&](std::uint32_t) { return ++asked == 3; }));
  EXPECT_EQ(asked, 3U);
}

TEST(victim_order, same_seed_same_order) {
  const worker_layout layout = layout_of({4, 4});
  rng one(9), other(9);
  EXPECT_EQ(round_of(look::any_deque, victim_spread::random, layout, 2, one),
            round_of(look::any_deque, victim_spread::random, layout, 2, other));
}

TEST(victim_order, every_victim_is_first_equally_often) {
  const auto victims = victims_of({.where = look::any_deque}, layout_of({4, 4}), 5);
  std::map<std::uint32_t, int> firsts;
  rng random(3);
  for (int i = 0; i < 7000; ++i) ++firsts[choose_victims(victims, random).front()];
  ASSERT_EQ(firsts.size(), 7U);
  for (const auto& [victim, times] : firsts) EXPECT_NEAR(times, 1000, 150) << "victim " << victim;
}

// Strides of one would find the first busy one from wherever they begin among the idle ones.
TEST(victim_order, each_of_a_busy_stretch_is_found_about_equally_often) {
  for (const std::uint32_t workers : {16U, 32U, 56U, 57U, 112U, 128U})
    for (const std::uint32_t stretch : {2U, 4U, workers / 4}) {
      const auto victims = victims_of({.where = look::any_deque}, layout_of({workers}), workers - 1);
      index_set busy(workers);
      for (std::uint32_t i = 0; i < stretch; ++i) busy.insert(i);
      std::vector<std::uint32_t> found(stretch);
      rng random(3);
      std::uint32_t passed = 0;
      for (std::uint32_t i = 0; i < 1000 * stretch; ++i)
        EXPECT_TRUE(
            victims.ask_filled(random, busy, passed, [&](std::uint32_t victim) { return ++found[victim] > 0; }));
      EXPECT_LT(*std::max_element(found.begin(), found.end()), 1650) << stretch << " of " << workers;
    }
}

TEST(victim_order, thieves_that_start_together_ask_different_neighbours_first) {
  const worker_layout layout = layout_of({8, 8});
  std::map<std::uint32_t, int> firsts;
  for (std::uint32_t thief = 8; thief < 16; ++thief) {
    rng random = rng::for_stream(1, thief);
    for (int i = 0; i < 100; ++i)
      ++firsts[round_of(look::any_deque, victim_spread::by_distance, layout, thief, random).front()];
  }
  for (const auto& [victim, times] : firsts) EXPECT_LT(times, 200) << "a convoy at victim " << victim;
}

// On every layout, every worker asks each other worker once; by_distance never asks a nearer victim after a farther
// victim.
RC_GTEST_PROP(victim_order, asks_each_once_and_near_before_far, (std::uint64_t seed)) {
  rng random(seed);
  for (const worker_layout& layout : layouts())
    for (std::uint32_t self = 0; self < layout.workers(); self += 1 + layout.workers() / 8)
      for (const victim_spread spread : spreads) {
        const auto order = round_of(look::any_deque, spread, layout, self, random);
        std::vector<std::uint32_t> everyone_else;
        for (std::uint32_t other = 0; other < layout.workers(); ++other)
          if (other != self) everyone_else.push_back(other);
        RC_ASSERT(sorted(order) == everyone_else);
        if (spread == victim_spread::random) continue;
        RC_ASSERT(std::is_sorted(order.begin(), order.end(),
                                 [&](auto a, auto b) { return layout.distance(self, a) < layout.distance(self, b); }));
      }
}

RC_GTEST_PROP(victim_order, remote_pools_are_the_other_domains_nearest_first, (std::uint64_t seed)) {
  rng random(seed);
  for (const worker_layout& layout : layouts()) {
    const std::uint32_t self = random.below(layout.workers());
    const auto order = round_of(look::remote_high_pools, victim_spread::by_distance, layout, self, random);
    RC_ASSERT(order.size() == layout.domains() - 1);
    RC_ASSERT(std::find(order.begin(), order.end(), layout.domain_of(self)) == order.end());
    RC_ASSERT(std::is_sorted(order.begin(), order.end(), [&](auto a, auto b) {
      return layout.distance(self, layout.head_of(a)) < layout.distance(self, layout.head_of(b));
    }));
  }
}

// Passing over those that have nothing changes neither who is found, nor how many were passed, nor the random numbers.
RC_GTEST_PROP(victim_order, finds_the_same_where_it_is_known_who_has_work, (std::uint64_t seed)) {
  rng random(seed);
  for (const worker_layout& layout : layouts())
    for (const victim_spread spread :
         {victim_spread::random, victim_spread::by_distance, victim_spread::other_side_first}) {
      const std::uint32_t self = random.below(layout.workers());
      const victim_order victims = victims_of({.where = look::any_deque, .spread = spread}, layout, self);
      index_set filled(layout.workers());
      for (std::uint32_t left = random.below(4); left > 0; --left) filled.insert(random.below(layout.workers()));
      const bool takes = random.below(2) == 0;  // or only looks
      rng asks = random, asks_filled = random;
      std::vector<std::uint32_t> seen, seen_filled;
      std::uint32_t looks = 0, passed = 0;
      const bool found = victims.ask(asks, [&](std::uint32_t victim) {
        if (!filled.contains(victim)) ++looks;
        else seen.push_back(victim);
        return takes && filled.contains(victim);
      });
      const bool found_filled = victims.ask_filled(asks_filled, filled, passed, [&](std::uint32_t victim) {
        seen_filled.push_back(victim);
        return takes;
      });
      RC_ASSERT(found == found_filled);
      rng sees = random, stops = random;
      const bool is_there = victims.ask(stops, [&](std::uint32_t victim) { return filled.contains(victim); });
      RC_ASSERT(victims.any_filled(sees, filled) == is_there);
      RC_ASSERT(sees.next() == stops.next());
      RC_ASSERT(seen == seen_filled);
      RC_ASSERT(looks == passed);
      RC_ASSERT(asks.next() == asks_filled.next());
    }
}

TEST(worker_layout, knows_heads_and_members) {
  const worker_layout layout = layout_of({3, 1, 2});
  EXPECT_EQ(layout.workers(), 6U);
  EXPECT_EQ(layout.domains(), 3U);
  EXPECT_EQ(layout.head_of(2), 4U);
  EXPECT_TRUE(layout.is_head(3));
  EXPECT_FALSE(layout.is_head(5));
  EXPECT_EQ(layout.workers_of(0).size(), 3U);
}

}  // namespace
}  // namespace nearfork

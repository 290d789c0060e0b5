#include "plan/policies/saws_policy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "heat_profile.hpp"
#include "plan/policies/locality_orders.hpp"
#include "unit/plan/crew/machines_for_tests.hpp"
#include "unit/plan/mebibyte.hpp"
#include "unit/plan/plans/planned_paths.hpp"
#include "unit/plan/search/opened_places.hpp"

namespace nearfork {
namespace {

using test::MiB;
using variant = saws_policy::variant;

const saws_policy saws(variant::whole);
const laws_policy laws_beside(laws_policy::subtrees::packed);

/// Runs the iterations of one trial, each with so many wanted crossings, and returns the next plan.
plan after_trial(const policy& how, const machine& where, profile& measured, const plan& now, std::uint64_t crossings) {
  for (int i = 0; i < 3; ++i)
    measured.add_iteration(
        {.duration_ns = 1'000'000, .wanted_crossings = crossings, .planned = true, .trial = now.standing().trial});
  return how.next(where, measured, now);
}

/// Runs the iterations of the search for the packing, and returns the first plan after it.
plan after_packing(const policy& how, const machine& where, profile& measured, std::uint64_t crossings) {
  plan now = how.next(where, measured, how.first(where, {.name = "heat"}));
  for (int most = 100; now.why().decision == plan_decision::trying && most > 0; --most) {
    measured.add_iteration(
        {.duration_ns = 1'000'000, .wanted_crossings = crossings, .planned = true, .trial = now.standing().trial});
    now = how.next(where, measured, now);
  }
  return now;
}

std::vector<double> shares_of_domains(const plan& made, const profile& measured, std::size_t domains) {
  std::vector<double> held(domains, 0);
  for (const met_task& root : subtrees_of(made, measured.tree()))
    held.at(root.where.domain) += measured.share(root.node).width();
  return held;
}

TEST(saws, begins_with_equal_shares_also_where_sides_are_unequal) {
  const machine where = machine_of_kinds({2, 2, 2}, {1, 1, 0}, MiB);
  const profile measured = heat_profile(10, 64 * MiB);
  const plan made = saws.next(where, measured, saws.first(where, {.name = "heat"}));
  EXPECT_EQ(made.why().decision, plan_decision::trying);
  EXPECT_EQ(made.why().balance.factors, std::vector<double>{2}) << "two big domains, a little one";
  for (const double share : shares_of_domains(made, measured, 3)) EXPECT_NEAR(share, 1.0 / 3, 1.0 / 1024);
}

// alpha = 1 on two big domains and a little one.
TEST(saws, splits_the_part_of_each_side_evenly_over_its_domains) {
  const machine where = machine_of_kinds({2, 2, 2}, {1, 1, 0}, MiB);
  profile measured = heat_profile(10, 64 * MiB);
  const plan now = after_packing(saws, where, measured, 12);  // 2 -> 2.0625
  const double big = 2.0625 / 3.0625 / 2;
  const std::vector<double> shares = shares_of_domains(now, measured, 3);
  EXPECT_NEAR(shares[0], big, 1.0 / 1024);
  EXPECT_NEAR(shares[1], big, 1.0 / 1024);
  EXPECT_NEAR(shares[2], 1 / 3.0625, 1.0 / 1024);
  EXPECT_NEAR(now.why().balance.big_share, 2 * big, 1e-12);
}

TEST(saws, searches_for_alpha_by_the_crossings_of_each_trial) {
  const machine where = xeon_x7560_halves();
  profile measured = heat_profile(10, 256 * MiB);
  plan now = after_packing(saws, where, measured, 40);
  EXPECT_EQ(now.why().decision, plan_decision::balancing);
  now = after_trial(saws, where, measured, now, 24);
  const trial_id third = now.standing().trial;
  now = after_trial(saws, where, measured, now, 24);
  EXPECT_FALSE(now.standing().settled);
  EXPECT_EQ(now.why().balance.factors, (std::vector<double>{1, 1.0625, 1.078125, 1.328125}));
  now = after_trial(saws, where, measured, now, 30);
  EXPECT_TRUE(now.standing().settled);
  EXPECT_EQ(now.why().decision, plan_decision::balanced);
  EXPECT_EQ(now.standing().trial, third);
  EXPECT_NEAR(now.why().balance.big_share, 1.078125 / 2.078125, 1e-12);
}

TEST(saws, keeps_alpha_until_a_trial_has_three_iterations) {
  const machine where = xeon_x7560_halves();
  profile measured = heat_profile(10, 256 * MiB);
  const plan first = after_packing(saws, where, measured, 8);
  for (int i = 0; i < 2; ++i) {
    measured.add_iteration(
        {.duration_ns = 1'000'000, .wanted_crossings = 8, .planned = true, .trial = first.standing().trial});
    EXPECT_EQ(saws.next(where, measured, first).standing(), first.standing());
  }
}

TEST(saws, leaves_data_where_equal_shares_placed_them) {
  const machine where = xeon_x7560_halves();
  profile measured = heat_profile(10, 256 * MiB);
  const std::vector<double> borders = saws.next(where, measured, {}).data().borders;
  EXPECT_EQ(borders, (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
  const plan now = after_packing(saws, where, measured, 40);
  EXPECT_EQ(now.data().borders, borders);
  EXPECT_GT(shares_of_domains(now, measured, 4)[0], 0.25);
}

TEST(saws, migrate_lets_data_follow_the_shares) {
  const saws_policy moving(variant::with_moves);
  EXPECT_EQ(moving.name(), "saws-migrate");
  const machine where = xeon_x7560_halves();
  profile measured = heat_profile(10, 256 * MiB);
  const plan now = after_packing(moving, where, measured, 40);  // alpha 1 -> 1.0625
  const double big = 1.0625 / 2.0625 / 2;
  ASSERT_EQ(now.data().borders.size(), 5U);
  EXPECT_NEAR(now.data().borders[1], big, 1e-12);
  EXPECT_NEAR(now.data().borders[2], 2 * big, 1e-12);
}

// Neither does the packing change first, nor does time count: the third iteration is four times as slow.
TEST(saws, printed_decides_by_the_crossings_of_one_iteration) {
  const saws_policy printed(variant::as_printed);
  EXPECT_EQ(printed.name(), "saws-printed");
  const machine where = xeon_x7560_halves();
  profile measured = heat_profile(10, 256 * MiB);
  plan now = printed.next(where, measured, printed.first(where, {.name = "heat"}));
  EXPECT_EQ(now.why().decision, plan_decision::balancing);
  EXPECT_EQ(now.why().packing_level, 0);
  const auto iterate = [&](std::uint64_t duration_ns, std::uint64_t crossings) {
    measured.add_iteration(
        {.duration_ns = duration_ns, .wanted_crossings = crossings, .planned = true, .trial = now.standing().trial});
    now = printed.next(where, measured, now);
  };
  iterate(1'000'000, 40);
  EXPECT_EQ(now.why().balance.factors, (std::vector<double>{1, 1.0625}));
  iterate(1'000'000, 24);
  EXPECT_EQ(now.why().balance.factors, (std::vector<double>{1, 1.0625, 1.078125}));
  iterate(4'000'000, 24);
  EXPECT_FALSE(now.standing().settled);
  iterate(1'000'000, 25);
  EXPECT_TRUE(now.standing().settled);
  EXPECT_NEAR(now.why().balance.big_share, 1.078125 / 2.078125, 1e-12);
  iterate(1'000'000, 1000);
  EXPECT_TRUE(now.standing().settled) << "what comes later does not change what was decided";
}

TEST(saws, noalpha_stays_at_equal_shares) {
  const saws_policy fixed(variant::equal_shares);
  const machine where = xeon_x7560_halves();
  profile measured = heat_profile(10, 256 * MiB);
  const plan made = after_packing(fixed, where, measured, 40);
  EXPECT_EQ(fixed.name(), "saws-noalpha");
  EXPECT_TRUE(made.standing().settled);
  EXPECT_EQ(made.why().domain_shares, (std::vector<double>{0.25, 0.25, 0.25, 0.25}));
}

// A domain's part is a quarter of the data; its cache has 24 MiB.
TEST(saws, lets_domains_cross_whose_data_are_less_than_their_cache) {
  const machine where = xeon_x7560_halves();
  const std::uint64_t four_caches = 96 * MiB;
  const auto crossing = [&](const saws_policy& how, std::uint64_t input_bytes) {
    const plan made = how.next(where, heat_profile(10, 256 * MiB, cost_source::cache_misses, input_bytes), {});
    std::uint32_t domains = 0;
    for (std::uint32_t d = 0; d < 4; ++d) domains += made.may_cross(d) ? 1 : 0;
    EXPECT_EQ(made.why().balance.monopolies, domains);
    EXPECT_EQ(made.why().balance.distributions, 4 - domains);
    return domains;
  };
  EXPECT_EQ(crossing(saws, four_caches - 4), 4U);
  EXPECT_EQ(crossing(saws, four_caches), 0U);
  EXPECT_EQ(crossing(saws, 0), 0U) << "as measured: 256 MiB";
  EXPECT_EQ(crossing(saws_policy(variant::always_monopoly), four_caches), 4U);
  EXPECT_EQ(crossing(saws_policy(variant::always_distribution), four_caches - 4), 0U);
}

TEST(saws, decides_for_each_domain_by_its_own_share) {
  const machine where = machine_of_kinds({2, 2}, {0, 1}, 32 * MiB);
  profile measured = heat_profile(10, 65 * MiB, cost_source::cache_misses, 65 * MiB);
  EXPECT_FALSE(saws.next(where, measured, {}).may_cross(0));
  const plan now = after_packing(saws, where, measured, 3);
  EXPECT_TRUE(now.may_cross(0)) << "the little domain's share is 65 / 2.0625 MiB now";
  EXPECT_FALSE(now.may_cross(1));
}

TEST(saws, crosses_under_the_conditions_of_its_plan) {
  const machine where = xeon_x7560_halves();
  const auto crosses = [&](const saws_policy& how, searcher who) {
    const search_order order = how.order(where, phase::running);
    return opens(order, who, look::any_deque) || opens(order, who, look::remote_high_pools);
  };
  const searcher waiting{.is_head = true, .planned = true, .may_cross = true, .work_abounds = true};
  EXPECT_TRUE(crosses(saws, waiting));
  EXPECT_FALSE(crosses(saws, {.is_head = true, .planned = true, .work_abounds = true})) << "distribution";
  const searcher end{.is_head = true, .planned = true, .may_cross = true};
  EXPECT_FALSE(crosses(saws, end)) << "most queues are empty";
  EXPECT_TRUE(crosses(saws_policy(variant::always_monopoly), end));
}

TEST(saws, is_laws_where_all_domains_are_equally_fast) {
  for (const variant how : {variant::whole, variant::equal_shares, variant::always_monopoly}) {
    const saws_policy one(how);
    for (const phase now : {phase::running, phase::profiling})
      EXPECT_EQ(one.order(opteron_8380(), now), laws_beside.order(opteron_8380(), now));
    const profile measured = heat_profile(8, 64 * MiB);
    const plan made = one.next(opteron_8380(), measured, {});
    plan_explanation why = laws_beside.next(opteron_8380(), measured, {}).why();
    why.policy = one.name();
    EXPECT_EQ(made.why(), why);
  }
}

TEST(saws, says_what_it_has_decided) {
  const machine where = xeon_x7560_halves();
  profile measured = heat_profile(10, 256 * MiB);
  const plan now = after_packing(saws, where, measured, 40);
  const std::vector<std::string> lines = lines_of(now.why());
  EXPECT_EQ(lines[0], "saws: planned, trying a share for the big cores");
  EXPECT_TRUE(
      std::ranges::count(lines, "big domains hold 0.52 of the data; alpha: 1.00 (40 wanted crossings) -> 1.06"));
  EXPECT_TRUE(std::ranges::count(lines, "without work: 4 domains wait (distribution)"));
}

}  // namespace
}  // namespace nearfork

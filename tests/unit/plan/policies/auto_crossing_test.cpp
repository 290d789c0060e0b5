// When `auto` lets workers take other domains' tasks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "heat_profile.hpp"
#include "plan/policies/auto_policy.hpp"
#include "unit/plan/crew/machines_for_tests.hpp"
#include "unit/plan/mebibyte.hpp"
#include "unit/plan/search/opened_places.hpp"

namespace nearfork {
namespace {

using test::MiB;
const auto_policy deciding;

struct crossing_course {
  plan last;
  std::string tried;  // p: plain, a: domains apart, c: they cross
};

struct crossing_costs {
  std::uint64_t plain_ns = 60'000;
  std::uint64_t apart_ns = 50'000;
  std::uint64_t crossing_ns = 49'500;
};

/// Runs iterations until the plan is settled; the first domain of four waits for a tenth of each.
crossing_course settle_crossing(std::uint64_t bytes, const crossing_costs& of, double busy = 0.9) {
  profile measured = heat_profile(8, bytes);
  const std::vector<domain_use> use{{.busy = busy}, {.busy = 1}, {.busy = 1}, {.busy = 1}};
  crossing_course run{deciding.next(opteron_8380(), measured, {}), {}};
  while (!run.last.standing().settled && run.tried.size() < 100) {
    const plan& now = run.last;
    const bool crosses = now.may_cross(0);
    run.tried += now.empty() ? 'p' : crosses ? 'c' : 'a';
    measured.add_iteration({.duration_ns = now.empty() ? of.plain_ns
                                           : crosses   ? of.crossing_ns
                                                       : of.apart_ns,
                            .planned = !now.empty(),
                            .trial = now.standing().trial,
                            .use_of_domain = use});
    run.last = deciding.next(opteron_8380(), measured, now);
  }
  return run;
}

TEST(auto_crossing, is_kept_where_it_is_faster) {
  const crossing_course run = settle_crossing(64 * MiB, {});
  ASSERT_TRUE(run.last.standing().settled);
  EXPECT_TRUE(run.last.may_cross(0));
  EXPECT_TRUE(run.last.why().crosses);
  EXPECT_EQ(run.last.why().decision, plan_decision::settled);
  EXPECT_EQ(run.last.why().trials.back().what, "first packing, domains help each other");
  EXPECT_LE(std::ranges::count(run.tried, 'c'), 5) << run.tried;
}

// What workers do in a domain must show how fast it is while shares and packings are compared.
TEST(auto_crossing, is_tried_only_after_all_packings) {
  const crossing_course run = settle_crossing(64 * MiB, {});
  EXPECT_EQ(run.tried.find_first_of("pa", run.tried.find('c')), std::string::npos) << run.tried;
  EXPECT_GE(std::ranges::count(run.tried, 'a'), 8);
}

TEST(auto_crossing, is_given_up_where_it_is_not_faster) {
  for (const std::uint64_t crossing_ns : {50'000U, 55'000U, 200'000U}) {
    const crossing_course run = settle_crossing(64 * MiB, {.crossing_ns = crossing_ns});
    ASSERT_TRUE(run.last.standing().settled);
    EXPECT_NE(run.tried.find('c'), std::string::npos);
    EXPECT_FALSE(run.last.empty());
    EXPECT_FALSE(run.last.may_cross(0));
    EXPECT_FALSE(run.last.why().crosses);
  }
}

// 2% slower than plain stealing, as long as domains keep to themselves.
TEST(auto_crossing, may_let_a_plan_win_against_plain_stealing) {
  EXPECT_FALSE(settle_crossing(64 * MiB, {.plain_ns = 49'000, .crossing_ns = 48'500}).last.empty());
  EXPECT_TRUE(settle_crossing(64 * MiB, {.plain_ns = 49'000, .crossing_ns = 50'000}).last.empty());
}

TEST(auto_crossing, is_not_tried_where_caches_hold_the_data_or_no_domain_waits) {
  for (const crossing_course& run : {settle_crossing(16 * MiB, {}), settle_crossing(64 * MiB, {}, 0.99)}) {
    ASSERT_TRUE(run.last.standing().settled);
    EXPECT_EQ(run.tried.find('c'), std::string::npos) << run.tried;
    EXPECT_FALSE(run.last.may_cross(0));
  }
}

TEST(auto_crossing, opens_other_domains_at_once_to_all_workers) {
  const search_order order = deciding.order(opteron_8380(), phase::running);
  for (const look others : {look::remote_high_pools, look::any_deque}) {
    EXPECT_TRUE(opens(order, {.domain_busy = true, .planned = true, .may_cross = true}, others));
    EXPECT_FALSE(opens(order, {.domain_busy = true, .planned = true}, others));
    EXPECT_FALSE(opens(order, {.own_to_come = true, .planned = true, .may_cross = true}, others));
  }
}

}  // namespace
}  // namespace nearfork

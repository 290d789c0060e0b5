#include "plan/policies/auto_policy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "heat_profile.hpp"
#include "machine/model/cores_as_domains.hpp"
#include "plan/plans/domain_share.hpp"
#include "plan/profile/iteration_digest.hpp"
#include "unit/plan/crew/two_memories.hpp"
#include "unit/plan/mebibyte.hpp"
#include "unit/plan/search/opened_places.hpp"

namespace nearfork {
namespace {

using test::MiB;
const auto_policy automatic;

std::vector<std::uint32_t> nodes_of(const plan& made) {
  std::vector<std::uint32_t> nodes;
  for (const node_turns& near : made.data().turns)
    for (const node_id one : near.turns) nodes.push_back(static_cast<std::uint32_t>(index_of_id(one)));
  std::ranges::sort(nodes);
  nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
  return nodes;
}

struct course {
  plan last;
  int iterations = 0;
};

/// Runs iterations of the durations that `cost(planned, level)` gives, until the plan is settled.
template <class Cost>
course settle(const machine& where, profile& measured, Cost&& cost) {
  course run{automatic.next(where, measured, {})};
  for (; run.iterations < 1000 && !run.last.standing().settled; ++run.iterations) {
    const std::int32_t level = run.last.why().packing_level;
    const bool planned = !run.last.empty();
    measured.add_iteration(
        {.duration_ns = cost(planned, level), .planned = planned, .trial = run.last.standing().trial});
    run.last = automatic.next(where, measured, run.last);
  }
  return run;
}

TEST(auto_policy, plans_nothing_on_one_domain_and_is_settled_at_once) {
  const plan made = automatic.first(machine_of(1, 8), {.name = "heat"});
  EXPECT_TRUE(made.empty());
  EXPECT_TRUE(made.standing().settled);
  EXPECT_EQ(made.why().policy, "auto");
  EXPECT_EQ(made.why().decision, plan_decision::one_domain);
}

/// Eight cores of one cache domain, as the core domains that auto asks for.
machine cores_of_one_domain() {
  return cores_as_domains(machine_of(1, 8, 8 * MiB));
}

TEST(auto_policy, asks_for_cores_as_domains) {
  EXPECT_TRUE(automatic.needs().core_domains);
}

TEST(auto_policy, plans_for_cores_of_one_cache_only_where_a_size_is_given) {
  const machine where = cores_of_one_domain();
  const plan without = automatic.first(where, {.name = "fib"});
  EXPECT_TRUE(without.standing().settled);
  EXPECT_EQ(without.why().decision, plan_decision::one_domain);
  EXPECT_FALSE(automatic.first(where, {.name = "heat", .input_bytes = 64 * MiB}).standing().settled);
}

TEST(auto_policy, lets_cores_of_one_cache_help_each_other_at_any_time) {
  const search_order order = automatic.order(cores_of_one_domain(), phase::running);
  EXPECT_TRUE(opens(order, {.is_head = true, .domain_busy = true, .planned = true}, look::any_deque));
}

TEST(auto_policy, turns_back_only_where_the_caches_do_not_hold_the_data) {
  for (const bool larger : {false, true}) {
    profile measured = heat_profile(8, larger ? 64 * MiB : 4 * MiB);
    const course run =
        settle(cores_of_one_domain(), measured, [](bool planned, std::int32_t) { return planned ? 50'000U : 80'000U; });
    EXPECT_FALSE(run.last.empty());
    EXPECT_EQ(run.last.turns_back(), larger);
    EXPECT_EQ(run.last.why().turns_back, larger);
  }
}

/// What each iteration ran under until the plan was settled: p for plain stealing, else the packing's level.
std::string course_of(const machine& where, profile& measured, std::uint64_t plain_ns, std::uint64_t planned_ns) {
  std::string tried;
  (void)settle(where, measured, [&](bool planned, std::int32_t level) {
    tried += planned ? std::to_string(level) : "p";
    return planned ? planned_ns : plain_ns;
  });
  return tried;
}

// The first iteration was planned where there are several memories, so the plan goes on; otherwise plain stealing does.
TEST(auto_policy, goes_on_as_the_first_iteration_ran) {
  profile several = heat_profile(8, 64 * MiB);
  EXPECT_TRUE(course_of(opteron_8380(), several, 50'000, 50'000).starts_with("000ppppp00"));
  profile one = heat_profile(8, 64 * MiB);
  EXPECT_TRUE(course_of(cores_of_one_domain(), one, 50'000, 50'000).starts_with("ppppp00000"));
}

TEST(auto_policy, profiles_plainly_where_there_is_one_memory) {
  const plan made = automatic.first(cores_of_one_domain(), {.name = "heat", .input_bytes = 64 * MiB});
  EXPECT_TRUE(made.empty());
  EXPECT_FALSE(made.standing().settled);
}

TEST(auto_policy, gives_plain_stealing_up_after_one_iteration_if_it_is_clearly_slower) {
  profile measured = heat_profile(8, 64 * MiB);
  const std::string tried = course_of(opteron_8380(), measured, 200'000, 50'000);
  EXPECT_EQ(std::count(tried.begin(), tried.end(), 'p'), 1);
  const plan kept = automatic.next(opteron_8380(), measured, {});
  EXPECT_FALSE(kept.empty());
  EXPECT_TRUE(kept.why().plain_trial.given_up);
}

TEST(auto_policy, tries_no_further_packing_where_the_first_one_is_clearly_slower) {
  profile measured = heat_profile(8, 64 * MiB);
  EXPECT_EQ(course_of(opteron_8380(), measured, 50'000, 80'000), "000pp");
  profile one = heat_profile(8, 64 * MiB);
  EXPECT_EQ(course_of(cores_of_one_domain(), one, 50'000, 80'000), "ppppp00");
  EXPECT_EQ(automatic.next(cores_of_one_domain(), one, {}).why().decision, plan_decision::no_plan_is_faster);
}

// One domain's cache holds 4 MiB: whichever pages the data lie on, they are hardly asked for.
TEST(auto_policy, begins_plainly_where_one_cache_holds_all_data) {
  const machine where = machine_of(4, 4, 6 * MiB);
  const plan small = automatic.first(where, {.name = "heat", .input_bytes = 4 * MiB});
  EXPECT_TRUE(small.empty());
  EXPECT_FALSE(small.standing().settled);
  EXPECT_EQ(small.data().borders, even_borders(4));
  EXPECT_FALSE(automatic.first(where, {.name = "heat", .input_bytes = 8 * MiB}).empty());
  EXPECT_FALSE(automatic.first(where, {.name = "heat"}).empty());
  EXPECT_FALSE(automatic.first(machine_of(4, 4), {.name = "heat", .input_bytes = 4 * MiB}).empty());
}

TEST(auto_policy, begins_plainly_where_cores_share_several_memories) {
  const machine where = cores_as_domains(with_second_nodes(1, {}, MiB));
  const plan made = automatic.first(where, {.name = "heat", .input_bytes = 64 * MiB});
  EXPECT_TRUE(made.empty());
  EXPECT_FALSE(made.standing().settled);
  EXPECT_EQ(nodes_of(made), (std::vector<std::uint32_t>{0, 1}));
}

TEST(auto_policy, begins_plainly_where_all_domains_have_the_same_memory) {
  machine_parts parts = machine_of(4, 4, 6 * MiB).parts();
  for (domain& one : parts.domains) one.nodes = {node_id{0}};
  const machine where{std::move(parts)};
  EXPECT_TRUE(automatic.first(where, {.name = "heat", .input_bytes = 64 * MiB}).empty());
  profile measured = heat_profile(8, 64 * MiB);
  EXPECT_TRUE(course_of(where, measured, 50'000, 50'000).starts_with("ppppp000"));
}

// Eight tasks at once, and eight cores in each domain.
TEST(auto_policy, plans_for_one_domain_where_that_has_cores_and_cache_for_all) {
  const machine where = machine_of(24, 8, 20 * MiB);
  const plan made = automatic.next(where, heat_profile(3, 4 * MiB), {});
  EXPECT_EQ(made.why().subtrees, 1);
  EXPECT_EQ(made.begins_in(), first_domain);
  EXPECT_TRUE(made.root()->where.subtree_root);
  EXPECT_EQ(made.data().borders, even_borders(24));
  const plan wide = automatic.next(where, heat_profile(8, 4 * MiB), {});
  EXPECT_GE(wide.why().subtrees, 24);
  EXPECT_EQ(wide.begins_in(), any_domain);
}

/// As course_of(); `busy` is what each domain was busy.
std::string course_with(const machine& where, profile& measured, const std::vector<double>& busy) {
  std::vector<domain_use> use;
  for (const double one : busy) use.push_back({.busy = one});
  std::string tried;
  plan now = automatic.next(where, measured, {});
  while (!now.standing().settled && tried.size() < 100) {
    tried += now.empty() ? "p" : std::to_string(now.why().packing_level);
    measured.add_iteration({.duration_ns = now.empty() ? 80'000U : 50'000U,
                            .planned = !now.empty(),
                            .trial = now.standing().trial,
                            .use_of_domain = use});
    now = automatic.next(where, measured, now);
  }
  return tried;
}

TEST(auto_policy, tries_no_smaller_subtrees_where_caches_hold_the_data_and_all_domains_are_busy) {
  profile even = heat_profile(6, 8 * MiB);
  EXPECT_EQ(course_with(opteron_8380(), even, {0.9, 0.8, 0.8, 0.85}).find('1'), std::string::npos);
  profile uneven = heat_profile(6, 8 * MiB);
  EXPECT_NE(course_with(opteron_8380(), uneven, {0.9, 0.3, 0.3, 0.3}).find('1'), std::string::npos);
  profile large = heat_profile(6, 64 * MiB);
  EXPECT_NE(course_with(opteron_8380(), large, {0.9, 0.8, 0.8, 0.85}).find('1'), std::string::npos);
}

TEST(auto_policy, ends_a_comparison_that_three_of_five_iterations_have_decided) {
  const machine where = machine_of(24, 8, 20 * MiB);
  const auto course_for = [&](std::uint64_t planned_ns) {
    profile measured = heat_profile(3, 4 * MiB);
    return settle(where, measured, [&](bool planned, std::int32_t) { return planned ? planned_ns : 50'000U; });
  };
  EXPECT_TRUE(course_for(52'000).last.empty());
  EXPECT_FALSE(course_for(50'400).last.empty());
}

// 20 us after 15 us: its data had to come back from where plain stealing left them.
TEST(auto_policy, tries_plain_stealing_no_more_once_that_has_lost) {
  profile measured = heat_profile(8, 64 * MiB);
  std::string tried;
  const course run = settle(opteron_8380(), measured, [&](bool planned, std::int32_t level) {
    tried += planned ? std::to_string(level) : "p";
    if (!planned) return 32'000U;
    return tried.find('p') != std::string::npos ? 30'000U : 15'000U;
  });
  EXPECT_TRUE(tried.starts_with("000p00")) << tried;
  EXPECT_EQ(std::count(tried.begin(), tried.end(), 'p'), 1);
  EXPECT_FALSE(run.last.empty());
}

TEST(auto_policy, tells_of_a_lone_packing_that_it_is_tried) {
  profile measured = heat_profile(1, 4 * MiB);
  const plan made = automatic.next(machine_of(2, 1, 6 * MiB), measured, {});
  EXPECT_FALSE(made.standing().settled);
  EXPECT_EQ(made.why().decision, plan_decision::trying);
}

TEST(auto_policy, steals_as_random_does_where_nothing_is_planned) {
  for (const machine& where : {opteron_8380(), cores_of_one_domain()}) {
    const search_order order = automatic.order(where, phase::running);
    const search_step& third = order.steps()[2];
    EXPECT_EQ(third.where, look::any_deque);
    EXPECT_EQ(third.spread, victim_spread::random);
    EXPECT_TRUE(applies(third.only, {}));
    EXPECT_FALSE(applies(third.only, {.planned = true}));
  }
}

TEST(auto_policy, keeps_a_plan_that_is_as_fast_as_plain_stealing) {
  profile measured = heat_profile(8, 64 * MiB);
  const course run = settle(opteron_8380(), measured, [](bool, std::int32_t) { return 50'000U; });
  EXPECT_FALSE(run.last.empty());
}

TEST(auto_policy, keeps_the_plan_where_it_is_faster) {
  profile measured = heat_profile(8, 64 * MiB);
  const course run =
      settle(opteron_8380(), measured, [](bool planned, std::int32_t) { return planned ? 50'000U : 80'000U; });
  EXPECT_FALSE(run.last.empty());
  EXPECT_TRUE(run.last.standing().settled);
  EXPECT_EQ(run.last.why().plain_trial.median_ns, 80'000U);
  EXPECT_NEAR(automatic.plain_excess(measured, run.last).value(), 0.6, 1e-9);
}

TEST(auto_policy, goes_back_to_plain_stealing_where_that_is_faster) {
  profile measured = heat_profile(8, 64 * MiB);
  const course run =
      settle(opteron_8380(), measured, [](bool planned, std::int32_t) { return planned ? 80'000U : 50'000U; });
  EXPECT_TRUE(run.last.empty());
  EXPECT_TRUE(run.last.standing().settled);
  EXPECT_EQ(run.last.why().decision, plan_decision::no_plan_is_faster);
  EXPECT_EQ(run.last.why().plain_trial.median_ns, 50'000U);
  EXPECT_FALSE(run.last.why().trials.empty());
  EXPECT_EQ(automatic.plain_excess(measured, run.last), std::nullopt);
}

TEST(auto_policy, searches_anew_where_the_plan_turns_out_slower_than_plain_stealing_was) {
  profile measured = heat_profile(8, 64 * MiB);
  const machine where = opteron_8380();
  const course run = settle(where, measured, [](bool planned, std::int32_t) { return planned ? 70'000U : 80'000U; });
  ASSERT_FALSE(run.last.empty());
  const auto pass = [&](std::uint64_t ns, int times, bool slowed = false) {
    for (; times > 0; --times)
      measured.add_iteration(
          {.duration_ns = ns, .planned = true, .slowed = slowed, .trial = run.last.standing().trial});
  };
  pass(81'000, 16);
  EXPECT_FALSE(automatic.regrets(measured, run.last)) << "not noticeably slower";
  pass(90'000, 16, true);
  EXPECT_FALSE(automatic.regrets(measured, run.last)) << "its clocks are lower";
  pass(90'000, 9);
  EXPECT_FALSE(automatic.regrets(measured, run.last)) << "too few";
  pass(90'000, 4);
  pass(70'000, 3);
  EXPECT_TRUE(automatic.regrets(measured, run.last));
  pass(70'000, 3);
  EXPECT_FALSE(automatic.regrets(measured, run.last)) << "only sometimes slower";
}

/// Runs five plain iterations of 70 us each, and planned iterations of the given durations.
course settle_with(const std::array<std::uint64_t, 5>& planned_ns) {
  profile measured = heat_profile(8, 64 * MiB);
  std::size_t iteration = 0;
  return settle(opteron_8380(), measured,
                [&](bool planned, std::int32_t) { return planned ? planned_ns[iteration++ % 5] : 70'000; });
}

// Neither is faster beyond the noise of the plan's iterations. The median decides all the same.
TEST(auto_policy, takes_the_lower_median_however_noisy) {
  const course slower = settle_with({40'000, 60'000, 75'000, 80'000, 90'000});
  EXPECT_TRUE(slower.last.empty());
  EXPECT_EQ(slower.last.why().decision, plan_decision::no_plan_is_faster);
  EXPECT_TRUE(slower.last.standing().settled);
  const course faster = settle_with({20'000, 40'000, 65'000, 80'000, 90'000});
  EXPECT_FALSE(faster.last.empty());
  EXPECT_TRUE(faster.last.standing().settled);
}

// The trials may take five plain iterations, and five of each packing that was tried.
TEST(auto_policy, ends_its_trials_after_a_bounded_number_of_iterations) {
  profile measured = heat_profile(8, 64 * MiB);
  const course run = settle(opteron_8380(), measured, [](bool, std::int32_t) { return 50'000U; });
  EXPECT_TRUE(run.last.standing().settled);
  const auto trials = static_cast<int>(run.last.why().trials.size()) + 1;
  EXPECT_LE(run.iterations, trials * static_cast<int>(iteration_digest::most_kept));
}

TEST(auto_policy, lets_workers_that_would_sleep_start_the_next_subtree) {
  const search_order order = automatic.order(opteron_8380(), phase::running);
  const auto finds_subtrees = [&](searcher who) { return opens(order, who, look::own_high_pool); };
  EXPECT_FALSE(finds_subtrees({.is_head = true, .domain_busy = true, .planned = true}));
  EXPECT_TRUE(finds_subtrees({.is_head = false, .domain_busy = true, .planned = true, .would_sleep = true}));
}

TEST(auto_policy, runs_subtrees_at_once_where_the_cores_of_a_domain_share_no_cache) {
  const auto all_take_subtrees = [](const machine& where) {
    return opens(automatic.order(where, phase::running), {.domain_busy = true, .planned = true}, look::own_high_pool);
  };
  EXPECT_TRUE(all_take_subtrees(machine_of(4, 4, MiB, 2)));
  EXPECT_FALSE(all_take_subtrees(machine_of(4, 4, MiB, 4)));
  EXPECT_FALSE(all_take_subtrees(machine_of(4, 4))) << "no cache is known";
}

TEST(auto_policy, takes_another_domains_subtrees_only_rather_than_sleep) {
  const search_order order = automatic.order(opteron_8380(), phase::running);
  const auto crosses = [&](searcher who) { return opens(order, who, look::remote_high_pools); };
  EXPECT_FALSE(crosses({.is_head = true, .planned = true}));
  EXPECT_TRUE(crosses({.is_head = true, .planned = true, .would_sleep = true}));
}

TEST(auto_policy, places_data_on_all_early_nodes_from_the_start_and_in_every_plan) {
  const machine where = with_second_nodes(2, {}, MiB);
  EXPECT_EQ(nodes_of(automatic.first(where, {.name = "heat"})), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  profile measured = heat_profile(8, 64 * MiB);
  const course run = settle(where, measured, [](bool planned, std::int32_t) { return planned ? 50'000U : 80'000U; });
  EXPECT_EQ(run.last.data(), automatic.first(where, {.name = "heat"}).data());
  EXPECT_EQ(run.last.why().traffic.os_nodes.size(), 4);
}

// Their bandwidth would be idle, and what caches miss would come later.
TEST(auto_policy, places_data_that_a_cache_holds_on_the_nearest_nodes_only) {
  const machine where = with_second_nodes(2, {}, 96 * MiB);
  const plan made = automatic.first(where, {.name = "heat", .input_bytes = 64 * MiB});
  EXPECT_EQ(made.data().borders, even_borders(2));
  EXPECT_TRUE(made.data().turns.empty());
  profile measured = heat_profile(8, 64 * MiB, cost_source::cache_misses, 64 * MiB);
  const course run = settle(where, measured, [](bool planned, std::int32_t) { return planned ? 50'000U : 80'000U; });
  EXPECT_TRUE(run.last.data().turns.empty());
  EXPECT_FALSE(automatic.first(where, {.name = "heat", .input_bytes = 97 * MiB}).data().turns.empty());
}

TEST(auto_policy, places_data_where_it_plans_nothing_else) {
  const machine where = cores_as_domains(with_second_nodes(1, {}, MiB));
  const plan made = automatic.first(where, {.name = "fib"});
  EXPECT_TRUE(made.empty());
  EXPECT_EQ(nodes_of(made), (std::vector<std::uint32_t>{0, 1}));
}

// 64 MiB in 20 ms are 3.4 bytes a nanosecond of the 2.1 that both early nodes have; in 200 ms they are 0.34.
TEST(auto_policy, uses_late_memory_only_where_bandwidth_holds_the_region_back) {
  const machine where = with_second_nodes(2, {.kind = memory_kind::cxl, .mib_per_s = 250, .ns = 276}, MiB);
  for (const bool plan_wins : {true, false})
    for (const bool bound : {true, false}) {
      profile measured = heat_profile(8, 64 * MiB);
      const std::uint64_t best_ns = bound ? 20'000'000 : 200'000'000;
      const course run = settle(
          where, measured, [&](bool planned, std::int32_t) { return planned == plan_wins ? best_ns : best_ns * 2; });
      ASSERT_TRUE(run.last.standing().settled);
      EXPECT_EQ(nodes_of(run.last), bound ? (std::vector<std::uint32_t>{0, 1, 2, 3}) : (std::vector<std::uint32_t>{}));
    }
}

TEST(auto_policy, leaves_regions_that_the_cores_bind_plain) {
  profile measured = heat_profile(8, 1 << 10);  // a KiB of data in milliseconds
  for (std::uint32_t i = 0; i < measured.tree().size(); ++i)
    measured.record(tree_node{i}, {.size_bytes = 1, .time_ns = 1'000'000});
  measured.complete();
  const plan made = automatic.next(opteron_8380(), measured, {});
  EXPECT_TRUE(made.empty());
  EXPECT_EQ(made.why().decision, plan_decision::cpu_bound);
}

}  // namespace
}  // namespace nearfork

// What holds for every plan of every policy, on any machine, for any tree and costs.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <memory>

#include <nearfork/config.hpp>

#include "plan/packing/tuning.hpp"
#include "plan/plans/domain_share.hpp"
#include "plan/plans/policy.hpp"
#include "plan/policies/homed_tasks.hpp"
#include "unit/plan/crew/machines_for_tests.hpp"
#include "unit/plan/plans/planned_paths.hpp"
#include "unit/plan/profile/random_tree.hpp"
#include "unit/plan/search/opened_places.hpp"

namespace nearfork {
namespace {

/// A random tree with random costs, sometimes without bytes, sometimes with the size of the input.
profile random_profile(std::uint64_t seed) {
  rng random(seed);
  constexpr cost_source sources[] = {cost_source::cache_misses, cost_source::placed_bytes, cost_source::time};
  const cost_source source = sources[random.below(3)];
  task_tree tree = random.below(2) == 0 ? random_tree(seed, 300) : regular_tree(2 + random.below(3), random.below(5));
  profile measured(std::move(tree), source, random.below(2) == 0 ? 0 : 1 + random.below(1U << 27));
  for (std::uint32_t i = 0; i < measured.tree().size(); ++i) {
    const std::uint64_t bytes = source == cost_source::time ? 0 : random.below(1U << 20);
    measured.record(tree_node{i}, {bytes, random.below(2) == 0 ? random.below(1 << 20) : 1});
  }
  measured.complete();
  for (std::uint32_t i = random.below(40); i > 0; --i)
    measured.add_iteration({.duration_ns = 1000 + random.below(1000),
                            .planned = random.below(4) > 0,
                            .trial = trial_of_packing(static_cast<std::int32_t>(random.below(5)) - 2)});
  return measured;
}

/// Calls check(machine, policy, profile, next plan) for all policies and machines.
template <class Check>
void for_every_plan(std::uint64_t seed, Check&& check) {
  const profile measured = random_profile(seed);
  for (const auto& name : policy_names())
    for (const machine& where : machines_for_tests()) {
      const auto how = make_policy(name);
      check(where, *how, measured, how->next(where, measured, how->first(where, {.name = "any"})));
    }
}

void check_same(const plan& one, const plan& other) {
  RC_ASSERT(one.nodes().size() == other.nodes().size());
  RC_ASSERT(std::equal(one.nodes().begin(), one.nodes().end(), other.nodes().begin(),
                       [](const plan_node& a, const plan_node& b) { return a.where == b.where; }));
  RC_ASSERT(one.standing() == other.standing());
  RC_ASSERT(one.why() == other.why());
}

RC_GTEST_PROP(every_plan, crosses_one_subtree_root_on_every_way_down, (std::uint64_t seed)) {
  for_every_plan(seed, [](const machine&, const policy&, const profile& measured, const plan& made) {
    if (made.empty()) return;
    std::uint32_t roots = 0;
    follow(made, measured.tree(), [&](const met_task& at) {
      roots += at.where.subtree_root ? 1 : 0;
      RC_ASSERT(at.roots_above <= 1);
      if (measured.tree().is_leaf(at.node)) RC_ASSERT(at.roots_above == 1);
      if (at.planned && !at.where.subtree_root) RC_ASSERT(at.where.children == spawn_order::parent_first);
      if (at.where.subtree_root) RC_ASSERT(at.where.children == spawn_order::child_first);
    });
    RC_ASSERT(roots == made.why().subtrees);
  });
}

RC_GTEST_PROP(every_plan, names_domains_that_there_are, (std::uint64_t seed)) {
  for_every_plan(seed, [](const machine& where, const policy& how, const profile& measured, const plan& made) {
    const bool at_home = how.name().starts_with("laws") || how.name().starts_with("saws") ||
                         how.name().starts_with("bats") || how.name() == "auto";
    for (const plan_node& task : made.nodes()) {
      RC_ASSERT(task.where.domain == any_domain || task.where.domain < where.domains().size());
      if (task.where.subtree_root) RC_ASSERT((task.where.domain != any_domain) == at_home);
    }
    if (!made.empty()) RC_ASSERT(made.nodes().size() <= measured.tree().size());
    RC_ASSERT(made.empty() || where.domains().size() > 1);
  });
}

// A subtree lies in its domain's part of the data; a leaf at least touches it.
RC_GTEST_PROP(every_plan, keeps_subtrees_within_their_domains_part, (std::uint64_t seed)) {
  for_every_plan(seed, [](const machine& where, const policy& how, const profile& measured, const plan& made) {
    if (made.empty()) return;
    const auto all = static_cast<std::uint32_t>(where.domains().size());
    const auto borders = even_borders(all, how.name() == "auto" ? used_domains(where, measured) : all);
    for (const met_task& root : subtrees_of(made, measured.tree())) {
      if (root.where.domain == any_domain) continue;
      const data_share share = measured.share(root.node);
      if (measured.tree().is_leaf(root.node)) RC_ASSERT(root.where.domain == domain_with_most(borders, share));
      else RC_ASSERT(root.where.domain == domain_of_share(borders, share));
    }
    double sum = 0;
    for (const double share : made.why().domain_shares) sum += share;
    if (!made.why().domain_shares.empty()) RC_ASSERT(std::abs(sum - 1) < 1e-9);
  });
}

RC_GTEST_PROP(every_plan, has_work_for_every_domain_if_the_tree_has, (std::uint64_t seed)) {
  for_every_plan(seed, [](const machine& where, const policy&, const profile& measured, const plan& made) {
    if (made.empty() || made.begins_in() != any_domain)
      return;  // cab's level is that of an average; acab and cats cut no finer than caches
    std::size_t leaves = 0;
    for (std::uint32_t i = 0; i < measured.tree().size(); ++i) leaves += measured.tree().is_leaf(tree_node{i}) ? 1 : 0;
    RC_ASSERT(made.why().subtrees >= std::min(leaves, where.domains().size()));
  });
}

RC_GTEST_PROP(every_plan, is_the_same_for_the_same_facts, (std::uint64_t seed)) {
  for_every_plan(seed, [&](const machine& where, const policy& how, const profile& measured, const plan& made) {
    check_same(made, make_policy(how.name())->next(where, random_profile(seed), plan{}));
    const region_facts facts{.name = "any", .input_bytes = seed % (1U << 28)};
    check_same(how.first(where, facts), make_policy(how.name())->first(where, facts));
    RC_ASSERT(measured.tree().size() > 0);
  });
}

// A settled plan stays the same, whatever later iterations take.
RC_GTEST_PROP(every_plan, once_settled_never_changes, (std::uint64_t seed)) {
  for_every_plan(seed, [&](const machine& where, const policy& how, profile measured, plan now) {
    rng random(seed);
    for (int i = 0; i < 12 && now.standing().settled; ++i) {
      measured.add_iteration(
          {.duration_ns = random.below(3000), .planned = !now.empty(), .trial = now.standing().trial});
      const plan later = how.next(where, measured, now);
      RC_ASSERT(later.standing() == now.standing());
      RC_ASSERT(later.why().subtrees == now.why().subtrees);
      now = later;
    }
  });
}

RC_GTEST_PROP(every_plan, settles_in_bounded_time_when_driven, (std::uint64_t seed)) {
  const profile started = random_profile(seed);
  rng random(seed);
  const machine& where = machines_for_tests()[random.below(static_cast<std::uint32_t>(machines_for_tests().size()))];
  for (const auto& name :
       {"acab", "cab", "cats", "cats-even", "laws", "laws-nc", "laws-printed", "saws", "saws-psm", "auto"}) {
    profile measured = started;
    const auto how = make_policy(name);
    plan now = how->first(where, {.name = "any"});
    int iterations = 0;
    for (; !now.standing().settled; ++iterations) {
      RC_ASSERT(iterations < 200);
      measured.add_iteration({.duration_ns = 1000 + random.below(1000),
                              .wanted_crossings = random.below(40),
                              .planned = !now.empty(),
                              .trial = now.standing().trial});
      now = how->next(where, measured, now);
    }
  }
}

// A plan made before anything ran has at most one root on a way down, and names only domains that exist.
RC_GTEST_PROP(every_plan, from_a_rule_cuts_each_way_once_at_most, (std::uint64_t seed)) {
  const task_tree tree = random_tree(seed, 300);
  for (const auto& name : policy_names())
    for (const machine& where : machines_for_tests()) {
      const plan made = make_policy(name)->first(where, {.name = "any", .input_bytes = seed % (1U << 28)});
      if (made.empty()) continue;
      RC_ASSERT(where.domains().size() > 1);
      follow(made, tree, [&](const met_task& at) {
        RC_ASSERT(at.roots_above <= 1);
        RC_ASSERT(at.where.domain == any_domain || at.where.domain < where.domains().size());
      });
    }
}

// An empty plan means plain stealing, also across domains: every worker can reach all work.
TEST(every_policy, lets_unplanned_work_be_stolen_across_domains) {
  for (const auto& name : policy_names())
    for (const machine& where : machines_for_tests()) {
      const search_order order = make_policy(name)->order(where, phase::running);
      EXPECT_TRUE(opens(order, {.is_head = false, .domain_busy = true}, look::any_deque)) << name;
    }
}

}  // namespace
}  // namespace nearfork

#include "plan/policies/laws_policy.hpp"

#include <utility>

#include "machine/model/machine.hpp"
#include "plan/packing/packed_plan.hpp"
#include "plan/packing/shared_cache.hpp"
#include "plan/packing/tuning.hpp"
#include "plan/plans/domain_share.hpp"
#include "plan/policies/homed_tasks.hpp"
#include "plan/policies/locality_orders.hpp"
#include "plan/profile/subtree_bytes.hpp"

namespace nearfork {
namespace {

/// LAWS 3.2: to each domain the same share.
std::vector<double> borders_of(const machine& where) {
  return even_borders(static_cast<std::uint32_t>(where.domains().size()));
}

/// The search goes no further down than to this many subtrees: workers find enough of them to share evenly, and each
/// plan takes time for each.
constexpr std::size_t most_subtrees_per_core = 64;

}  // namespace

plan laws_policy::first(const machine& where, const region_facts&) const {
  if (where.domains().size() < 2) return plain_plan(name(), plan_decision::one_domain, true);
  plan made(placement_rule{.domain_borders = borders_of(where)});
  made.describe({}, {.policy = name(), .decision = plan_decision::by_rule});
  return made;
}

plan laws_policy::next(const machine& where, const profile& measured, const plan&) const {
  return next_with(where, measured, borders_of(where), 0);
}

plan laws_policy::next_with(const machine& where, const profile& measured, const std::vector<double>& borders,
                            trial_series series, packings tried) const {
  if (where.domains().size() < 2) return plain_plan(name(), plan_decision::one_domain, true);
  if (measured.tree().is_leaf(tree_root)) return plain_plan(name(), plan_decision::no_forks, true);
  if (is_cpu_bound(measured)) return plain_plan(name(), plan_decision::cpu_bound, true);
  return cut_ == subtrees::packed ? tuned(where, measured, borders, series, tried) : whole(where, measured);
}

plan laws_policy::tuned(const machine& where, const profile& measured, const std::vector<double>& borders,
                        trial_series series, packings tried) const {
  const task_facts facts = homed_tasks(where, measured, borders);
  packing_ladder ladder(facts.tree, first_packing(where, facts), has_home(facts), facts.homes);
  const std::size_t most_roots = most_subtrees_per_core * where.cores().size();
  const auto exists = [&](std::int32_t level) {
    if (tried == packings::first && level != 0) return false;
    const packing* const roots = ladder.at(level);
    return roots != nullptr && (level <= 0 || roots->size() <= most_roots);
  };
  tuning search = tune(measured, exists, rule_, series);

  const packing& roots = *ladder.at(search.level);
  plan made = plan_of(facts, roots);
  made.place_data(borders);
  plan_explanation why =
      explanation_of(name(), search.settled ? plan_decision::settled : plan_decision::trying, facts, roots);
  why.packing_level = search.level;
  why.trials = std::move(search.trials);
  made.describe({.trial = trial_of_packing(search.level, series), .settled = search.settled}, std::move(why));
  return made;
}

plan laws_policy::whole(const machine& where, const profile& measured) const {
  const task_facts facts = homed_tasks(where, measured, borders_of(where));
  const packing roots = whole_subtrees(facts);
  plan made = plan_of(facts, roots);
  made.place_data(borders_of(where));
  made.describe({.settled = true}, explanation_of(name(), plan_decision::packed, facts, roots));
  return made;
}

// A domain runs its subtrees one by one for the cache that its cores share. If they share none, it would idle at the
// end of each for nothing: simulated on xeon-phi-7210, heat with 15 GB takes 144 ms an iteration, and 176 one by one.
search_order laws_policy::order(const machine& where, phase now) const {
  if (cut_ == subtrees::whole) return home_order();
  return share_caches(where) ? triple_level_order(now) : own_caches_order();
}

}  // namespace nearfork

#include "plan/policies/laws_policy.hpp"

#include <utility>

#include "machine/model/machine.hpp"
#include "plan/packing/packed_plan.hpp"
#include "plan/packing/shared_cache.hpp"
#include "plan/packing/tuning.hpp"
#include "plan/plans/domain_share.hpp"
#include "plan/policies/locality_orders.hpp"
#include "plan/profile/subtree_bytes.hpp"

namespace nearfork {
namespace {

/// LAWS 3.2: to each domain the same share.
std::vector<double> borders_of(const machine& where) {
  return even_borders(static_cast<std::uint32_t>(where.domains().size()));
}

/// Tasks that span several domains have no home and stay above the roots; a leaf that does goes where most of it is.
task_facts facts_of(const machine& where, const profile& measured) {
  task_facts facts{.tree = measured.tree(), .bytes = best_known_bytes(measured)};
  facts.domains = static_cast<std::uint32_t>(where.domains().size());
  facts.home = [&measured, borders = borders_of(where)](tree_node node) {
    const data_share share = measured.share(node);
    const std::uint16_t home = domain_of_share(borders, share);
    return home == any_domain && measured.tree().is_leaf(node) ? domain_with_most(borders, share) : home;
  };
  facts.width = [&measured](tree_node node) { return measured.share(node).width(); };
  return facts;
}

std::vector<double> caches_of(const machine& where) {
  std::vector<double> caches;
  for (const domain& one : where.domains()) caches.push_back(static_cast<double>(shared_cache_bytes(one)));
  return caches;
}

/// As many subtrees as domains if all data lie in one domain, because other domains can help only with whole subtrees.
packing whole_subtrees(const task_facts& facts, const may_be_root& has_home) {
  return with_at_least(facts.domains, facts.tree, highest_roots(facts.tree, has_home));
}

/// LAWS 3.3.1. If neither bytes nor caches are known, the search starts from the largest possible subtrees.
packing first_packing(const machine& where, const task_facts& facts, const may_be_root& has_home) {
  if (!facts.bytes) return whole_subtrees(facts, has_home);
  const std::vector<double> caches = caches_of(where);
  const auto fits = [&](tree_node node) {
    if (!has_home(node)) return false;
    const double cache = caches[facts.home(node)];
    return cache <= 0 || facts.bytes(node) <= cache;
  };
  return with_at_least(facts.domains, facts.tree, highest_roots(facts.tree, fits));
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
  if (where.domains().size() < 2) return plain_plan(name(), plan_decision::one_domain, true);
  if (measured.tree().is_leaf(tree_root)) return plain_plan(name(), plan_decision::no_forks, true);
  if (is_cpu_bound(measured)) return plain_plan(name(), plan_decision::cpu_bound, true);
  return cut_ == subtrees::packed ? tuned(where, measured) : whole(where, measured);
}

plan laws_policy::tuned(const machine& where, const profile& measured) const {
  const task_facts facts = facts_of(where, measured);
  const may_be_root has_home = [&](tree_node node) { return facts.home(node) != any_domain; };
  packing_ladder ladder(facts.tree, first_packing(where, facts, has_home), has_home, facts.domains);
  const std::size_t most_roots = most_subtrees_per_core * where.cores().size();
  const auto exists = [&](std::int32_t level) {
    const packing* const roots = ladder.at(level);
    return roots != nullptr && (level <= 0 || roots->size() <= most_roots);
  };
  tuning search = tune(measured, exists, rule_);

  const packing& roots = *ladder.at(search.level);
  plan made = plan_of(facts, roots);
  made.place_data(borders_of(where));
  plan_explanation why =
      explanation_of(name(), search.settled ? plan_decision::settled : plan_decision::trying, facts, roots);
  why.packing_level = search.level;
  why.trials = std::move(search.trials);
  made.describe({.trial = trial_of_packing(search.level), .settled = search.settled}, std::move(why));
  return made;
}

plan laws_policy::whole(const machine& where, const profile& measured) const {
  const task_facts facts = facts_of(where, measured);
  const packing roots = whole_subtrees(facts, [&](tree_node node) { return facts.home(node) != any_domain; });
  plan made = plan_of(facts, roots);
  made.place_data(borders_of(where));
  made.describe({.settled = true}, explanation_of(name(), plan_decision::packed, facts, roots));
  return made;
}

search_order laws_policy::order(const machine&, phase now) const {
  return cut_ == subtrees::packed ? triple_level_order(now) : home_order();
}

}  // namespace nearfork

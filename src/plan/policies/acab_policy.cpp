#include "plan/policies/acab_policy.hpp"

#include <cstdint>
#include <utility>

#include "machine/model/machine.hpp"
#include "plan/packing/packed_plan.hpp"
#include "plan/packing/shared_cache.hpp"
#include "plan/plans/domain_share.hpp"
#include "plan/policies/locality_orders.hpp"
#include "plan/profile/subtree_bytes.hpp"

namespace nearfork {
namespace {

/// Sizes that were divided by 2 and by 3 in different orders must not miss a bound by the last bit.
constexpr double sum_rounding = 1 + 1e-9;

}  // namespace

plan acab_policy::first(const machine& where, const region_facts& facts) const {
  const auto domains = static_cast<std::uint32_t>(where.domains().size());
  const auto cache = static_cast<double>(least_shared_cache_bytes(where));
  if (domains < 2) return plain_plan(name(), plan_decision::one_domain, true);
  if (cache <= 0) return plain_plan(name(), plan_decision::sizes_unknown, true);
  if (start_ == start::even) return even_start(domains);
  if (!by_branching() || facts.input_bytes == 0) return plain_plan(name(), plan_decision::sizes_unknown, false);
  const auto input = static_cast<double>(facts.input_bytes);
  plan made(placement_rule{.input_bytes = input, .most_subtree_bytes = cache * sum_rounding});
  made.begin_in(first_domain);
  made.describe({}, {.policy = name(), .decision = plan_decision::by_rule});
  return made;
}

/// LAWS 3.2: every task where its part of the data shall be.
plan acab_policy::even_start(std::uint32_t domains) const {
  plan made(placement_rule{.domain_borders = even_borders(domains)});
  made.describe({}, {.policy = name(), .decision = plan_decision::by_rule});
  return made;
}

plan acab_policy::next(const machine& where, const profile& measured, const plan&) const {
  const std::size_t domains = where.domains().size();
  const auto cache = static_cast<double>(least_shared_cache_bytes(where));
  const task_tree& tree = measured.tree();
  if (domains < 2) return plain_plan(name(), plan_decision::one_domain, true);
  if (tree.is_leaf(tree_root)) return plain_plan(name(), plan_decision::no_forks, true);
  if (is_cpu_bound(measured)) return plain_plan(name(), plan_decision::cpu_bound, true);

  const task_facts facts{.tree = tree, .bytes = by_branching() ? best_known_bytes(measured) : measured_bytes(measured)};
  if (cache <= 0 || !facts.bytes) return plain_plan(name(), plan_decision::sizes_unknown, true);
  const auto fits = [&](tree_node node) { return facts.bytes(node) <= cache * sum_rounding; };
  if (fits(tree_root)) return plain_plan(name(), plan_decision::fits_one_cache, true);
  const packing roots = highest_roots(tree, fits);
  plan made = plan_of(facts, roots);
  made.begin_in(first_domain);
  made.describe({.settled = true}, explanation_of(name(), plan_decision::packed, facts, roots));
  return made;
}

search_order acab_policy::order(const machine&, phase now) const {
  return start_ == start::even ? even_bitier_order(now) : traditional_bitier_order();
}

}  // namespace nearfork

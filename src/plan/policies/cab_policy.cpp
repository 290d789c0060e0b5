#include "plan/policies/cab_policy.hpp"

#include <algorithm>
#include <utility>

#include "machine/model/machine.hpp"
#include "plan/packing/packed_plan.hpp"
#include "plan/packing/shared_cache.hpp"
#include "plan/policies/locality_orders.hpp"
#include "plan/profile/subtree_bytes.hpp"

namespace nearfork {
namespace {

/// The rounded mean over all forks with more than one child.
std::uint32_t usual_branching(const task_tree& tree) {
  std::uint64_t forks = 0;
  std::uint64_t children = 0;
  for (std::uint32_t i = 0; i < tree.size(); ++i)
    tree.for_each_fork(tree_node{i}, [&](tree_node, std::uint32_t branching) {
      if (branching < 2) return;
      ++forks;
      children += branching;
    });
  return forks == 0 ? 2 : static_cast<std::uint32_t>((children + forks / 2) / forks);
}

packing roots_at(const task_tree& tree, std::uint32_t level) {
  packing roots{tree_root};
  for (std::uint32_t depth = 0; depth < level; ++depth) {
    packing lower = one_level_down(tree, roots);
    if (lower == roots) break;
    roots = std::move(lower);
  }
  return roots;
}

}  // namespace

std::uint32_t boundary_level(const boundary_facts& facts) noexcept {
  const std::uint32_t branching = std::max(2U, facts.branching);
  double subtrees = 1;
  std::uint32_t level = 0;
  const auto enough = [&] {
    return subtrees >= static_cast<double>(facts.domains) &&
           (facts.cache_bytes <= 0 || facts.input_bytes <= facts.cache_bytes * subtrees);
  };
  for (; !enough(); ++level) subtrees *= branching;
  return level;
}

plan cab_policy::first(const machine& where, const region_facts& facts) const {
  if (where.domains().size() < 2) return plain_plan(name(), plan_decision::one_domain, true);
  const std::uint32_t level = boundary_level({.domains = where.domains().size(),
                                              .input_bytes = static_cast<double>(facts.input_bytes),
                                              .cache_bytes = static_cast<double>(least_shared_cache_bytes(where))});
  plan made(placement_rule{.cut_depth = level});
  made.begin_in(first_domain);
  made.describe({}, {.policy = name(), .decision = plan_decision::by_rule});
  return made;
}

plan cab_policy::next(const machine& where, const profile& measured, const plan&) const {
  const task_tree& tree = measured.tree();
  if (where.domains().size() < 2) return plain_plan(name(), plan_decision::one_domain, true);
  if (tree.is_leaf(tree_root)) return plain_plan(name(), plan_decision::no_forks, true);
  if (is_cpu_bound(measured)) return plain_plan(name(), plan_decision::cpu_bound, true);
  const task_facts facts{.tree = tree, .bytes = best_known_bytes(measured)};
  const std::uint32_t level = boundary_level({.branching = usual_branching(tree),
                                              .domains = where.domains().size(),
                                              .input_bytes = facts.bytes ? facts.bytes(tree_root) : 0,
                                              .cache_bytes = static_cast<double>(least_shared_cache_bytes(where))});
  const packing roots = roots_at(tree, level);
  plan made = plan_of(facts, roots);
  made.begin_in(first_domain);
  made.describe({.settled = true}, explanation_of(name(), plan_decision::packed, facts, roots));
  return made;
}

search_order cab_policy::order(const machine&, phase) const {
  return bitier_order();
}

}  // namespace nearfork

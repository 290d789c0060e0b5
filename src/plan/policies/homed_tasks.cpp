#include "plan/policies/homed_tasks.hpp"

#include <cstdint>
#include <utility>

#include "plan/packing/shared_cache.hpp"
#include "plan/plans/domain_share.hpp"
#include "plan/profile/subtree_bytes.hpp"

namespace nearfork {
namespace {

std::vector<double> caches_of(const machine& where) {
  std::vector<double> caches;
  for (const domain& one : where.domains()) caches.push_back(static_cast<double>(shared_cache_bytes(one)));
  return caches;
}

}  // namespace

task_facts homed_tasks(const machine& where, const profile& measured, std::vector<double> borders) {
  task_facts facts{.tree = measured.tree(), .bytes = best_known_bytes(measured)};
  facts.domains = static_cast<std::uint32_t>(where.domains().size());
  for (std::size_t d = 0; d + 1 < borders.size(); ++d) facts.homes += borders[d] < borders[d + 1] ? 1 : 0;
  facts.home = [&measured, borders = std::move(borders)](tree_node node) {
    const data_share share = measured.share(node);
    const std::uint16_t home = domain_of_share(borders, share);
    return home == any_domain && measured.tree().is_leaf(node) ? domain_with_most(borders, share) : home;
  };
  facts.width = [&measured](tree_node node) { return measured.share(node).width(); };
  return facts;
}

may_be_root has_home(const task_facts& facts) {
  return [&facts](tree_node node) { return facts.home(node) != any_domain; };
}

packing whole_subtrees(const task_facts& facts) {
  return with_at_least(facts.homes, facts.tree, highest_roots(facts.tree, has_home(facts)));
}

packing first_packing(const machine& where, const task_facts& facts) {
  if (!facts.bytes) return whole_subtrees(facts);
  const std::vector<double> caches = caches_of(where);
  const auto fits = [&](tree_node node) {
    const std::uint16_t home = facts.home(node);
    if (home == any_domain) return false;
    const double cache = caches[home];
    return cache <= 0 || facts.bytes(node) <= cache;
  };
  return with_at_least(facts.homes, facts.tree, highest_roots(facts.tree, fits));
}

}  // namespace nearfork

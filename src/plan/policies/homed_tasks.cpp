#include "plan/policies/homed_tasks.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "plan/packing/shared_cache.hpp"
#include "plan/packing/width.hpp"
#include "plan/plans/domain_share.hpp"
#include "plan/profile/subtree_bytes.hpp"

namespace nearfork {
namespace {

std::vector<double> caches_of(const machine& where) {
  std::vector<double> caches;
  for (const domain& one : where.domains()) caches.push_back(static_cast<double>(subtree_cache_bytes(one)));
  return caches;
}

/// A tree of more tasks than this is taken for wide: to look at all of them after each trial would cost too much.
constexpr std::size_t most_tasks_per_core = 64;

std::uint32_t domain_count(const machine& where) {
  return static_cast<std::uint32_t>(where.domains().size());
}

/// The fewest domains that have as many cores, and as much cache. nullopt: not even all have.
std::optional<std::uint32_t> fewest_domains(const machine& where, std::size_t cores, double bytes) {
  std::size_t cores_had = 0;
  double cache_had = 0;
  for (std::uint32_t d = 0; d < domain_count(where); ++d) {
    cores_had += where.domains()[d].cores.size();
    cache_had += static_cast<double>(shared_cache_bytes(where.domains()[d]));
    if (cores_had >= cores && cache_had >= bytes) return d + 1;
  }
  return std::nullopt;
}

/// In the domain that takes the most: as many tasks at once as it has cores, until its last subtree is done.
std::size_t rounds_in(std::uint32_t domains, const machine& where, const profile& measured, const task_widths& widths) {
  const task_facts facts = homed_tasks(where, measured, even_borders(domain_count(where), domains));
  std::vector<std::size_t> rounds(domain_count(where), 0);
  for (const tree_node root : first_packing(where, facts)) {
    const std::uint16_t home = facts.home(root);
    if (home == any_domain) continue;
    const std::size_t cores = where.domains()[home].cores.size();
    rounds[home] += (widths.of(root) + cores - 1) / cores;
  }
  return std::ranges::max(rounds);
}

}  // namespace

task_facts homed_tasks(const machine& where, const profile& measured, std::vector<double> borders) {
  task_facts facts{.tree = measured.tree(), .bytes = best_known_bytes(measured)};
  facts.domains = static_cast<std::uint32_t>(where.domains().size());
  for (std::size_t d = 0; d + 1 < borders.size(); ++d) facts.homes += borders[d] < borders[d + 1] ? 1U : 0U;
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

std::uint32_t used_domains(const machine& where, const profile& measured) {
  const std::uint32_t all = domain_count(where);
  const bytes_of_task bytes = best_known_bytes(measured);
  const std::size_t cores = where.cores().size();
  if (where.cores_are_domains() || all < 2 || !bytes || measured.tree().size() > most_tasks_per_core * cores)
    return all;
  const task_widths widths(measured.tree());
  const std::uint32_t at_once = widths.of(tree_root);
  const std::optional<std::uint32_t> fewest = fewest_domains(where, at_once, bytes(tree_root));
  if (!fewest || at_once >= cores) return all;
  // Trees that are halved again and again suit a power of two.
  std::uint32_t best = all;
  std::size_t least_rounds = rounds_in(all, where, measured, widths);
  for (const std::uint32_t domains : {std::bit_ceil(*fewest), *fewest}) {
    if (domains >= all) continue;
    const std::size_t rounds = rounds_in(domains, where, measured, widths);
    if (rounds > least_rounds) continue;
    least_rounds = rounds;
    best = domains;
  }
  return best;
}

}  // namespace nearfork

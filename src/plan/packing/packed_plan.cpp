#include "plan/packing/packed_plan.hpp"

#include <algorithm>
#include <vector>

namespace nearfork {
namespace {

void tell_bytes(plan_explanation& why, const bytes_of_task& bytes, const packing& roots) {
  if (!bytes || roots.empty()) return;
  const auto less = [&](tree_node a, tree_node b) { return bytes(a) < bytes(b); };
  const auto [least, most] = std::minmax_element(roots.begin(), roots.end(), less);
  why.least_bytes = bytes(*least);
  why.most_bytes = bytes(*most);
}

void tell_shares(plan_explanation& why, const task_facts& facts, const packing& roots) {
  if (!facts.home) return;
  const auto& weight_of = facts.bytes ? facts.bytes : facts.width;
  std::vector<double> of_domain(facts.domains, 0);
  double all = 0;
  for (const tree_node root : roots) {
    const double weight = weight_of(root);
    const std::uint16_t home = facts.home(root);
    all += weight;
    if (home != any_domain) of_domain[home] += weight;
  }
  if (all <= 0) return;
  for (double& share : of_domain) share /= all;
  why.domain_shares = std::move(of_domain);
}

}  // namespace

// Tasks without a home go to the low pools, from which all workers take first: subtrees reach their homes only after
// these tasks have been taken apart.
plan plan_of(const task_facts& facts, const packing& roots) {
  return {facts.tree, [&](tree_node node) -> placement {
            const bool is_root = std::binary_search(roots.begin(), roots.end(), node);
            const std::uint16_t home = facts.home ? facts.home(node) : any_domain;
            const bool homeless = facts.home && home == any_domain;
            return {.domain = home,
                    .pool = homeless ? pool_class::low : pool_class::high,
                    .children = is_root ? spawn_order::child_first : spawn_order::parent_first,
                    .subtree_root = is_root};
          }};
}

plan_explanation explanation_of(std::string_view policy, plan_decision decision, const task_facts& facts,
                                const packing& roots) {
  plan_explanation why{.policy = policy, .decision = decision, .subtrees = static_cast<std::uint32_t>(roots.size())};
  tell_bytes(why, facts.bytes, roots);
  tell_shares(why, facts, roots);
  return why;
}

plan plain_plan(std::string_view policy, plan_decision decision, bool settled) {
  plan made;
  made.describe({.settled = settled}, {.policy = policy, .decision = decision});
  return made;
}

plan stays_plain(plan_explanation why) {
  why.decision = plan_decision::no_plan_is_faster;
  why.subtrees = 0;
  why.turns_back = false;
  why.crosses = false;
  why.domain_shares.clear();
  plan made;
  made.describe({.settled = true}, std::move(why));
  return made;
}

}  // namespace nearfork

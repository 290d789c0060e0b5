#include "plan/policies/auto_policy.hpp"

#include <utility>

#include "machine/model/machine.hpp"
#include "plan/packing/packed_plan.hpp"
#include "plan/packing/shared_cache.hpp"
#include "plan/packing/tuning.hpp"
#include "plan/policies/locality_orders.hpp"
#include "plan/profile/subtree_bytes.hpp"

namespace nearfork {
namespace {

packing_trial trial_of(const iteration_digest& plain) {
  return {.iterations = plain.count(), .shortest_ns = plain.shortest_ns(), .median_ns = plain.median_ns()};
}

/// True if a sweep finds nothing in the caches of what the last sweep began with.
bool outgrows_caches(const machine& where, const profile& measured) {
  const std::vector<double> bytes = best_known_bytes(measured);
  double caches = 0;
  for (const domain& one : where.domains()) caches += static_cast<double>(shared_cache_bytes(one));
  return !bytes.empty() && caches > 0 && bytes[index_of(tree_root)] > caches;
}

/// Plain stealing must be faster by more than this: with two equals a change would gain nothing.
constexpr double least_gain = 0.01;

/// The plan under our policy's name, with the measurements of plain stealing.
plan retold(plan made, std::string_view name, const iteration_digest* plain) {
  plan_explanation why = made.why();
  why.policy = name;
  why.turns_back = made.turns_back();
  if (plain != nullptr) why.plain_trial = trial_of(*plain);
  made.describe(made.standing(), std::move(why));
  return made;
}

}  // namespace

policy_needs auto_policy::needs() const {
  policy_needs made = planned_.needs();
  made.core_domains = true;
  return made;
}

plan auto_policy::first(const machine& where, const region_facts& facts) const {
  if (where.cores_are_domains() && facts.input_bytes == 0) return plain_plan(name(), plan_decision::one_domain, true);
  return retold(planned_.first(where, facts), name(), nullptr);
}

plan auto_policy::next(const machine& where, const profile& measured, const plan& previous) const {
  plan best = planned_.next(where, measured, previous);
  if (best.empty()) return retold(std::move(best), name(), nullptr);
  const iteration_digest& plain = measured.plain();
  if (plain.kept().size() < iteration_digest::most_kept) return plain_plan(name(), plan_decision::trying_plain, false);
  if (outgrows_caches(where, measured)) best.turn_back();
  best = retold(std::move(best), name(), &plain);
  if (!best.standing().settled) return best;
  const iteration_digest* const planned = measured.evidence_of(best.standing().trial);
  // A lone packing is settled before it ever ran.
  if (planned == nullptr || planned->kept().size() < iteration_digest::most_kept) {
    best.describe({.trial = best.standing().trial, .settled = false}, best.why());
    return best;
  }
  if (static_cast<double>(planned->median_ns()) <= static_cast<double>(plain.median_ns()) * (1 + least_gain))
    return best;
  plan stays_plain = plain_plan(name(), plan_decision::no_plan_is_faster, true);
  plan_explanation why = best.why();
  why.decision = plan_decision::no_plan_is_faster;
  why.subtrees = 0;
  why.turns_back = false;
  why.domain_shares.clear();
  stays_plain.describe({.settled = true}, std::move(why));
  return stays_plain;
}

search_order auto_policy::order(const machine& where, phase now) const {
  if (where.cores_are_domains()) return home_order();
  search_order order = planned_.order(where, now);
  order.add({.where = look::own_high_pool, .from = work_end::newest, .only = {.rather_than_sleep = true}});
  return order;
}

}  // namespace nearfork

#include "plan/auto_policy.hpp"

#include <utility>

#include "plan/packed_plan.hpp"
#include "plan/tuning.hpp"

namespace nearfork {
namespace {

packing_trial trial_of(const iteration_digest& plain) {
  return {.iterations = plain.count(), .shortest_ns = plain.shortest_ns(), .median_ns = plain.median_ns()};
}

/// As our own: with what plain stealing was measured at.
plan retold(plan made, std::string_view name, const iteration_digest* plain) {
  plan_explanation why = made.why();
  why.policy = name;
  if (plain != nullptr) why.plain_trial = trial_of(*plain);
  made.describe(made.standing(), std::move(why));
  return made;
}

}  // namespace

plan auto_policy::first(const machine& where, const region_facts& facts) const {
  return retold(planned_.first(where, facts), name(), nullptr);
}

plan auto_policy::next(const machine& where, const profile& measured, const plan& previous) const {
  plan best = planned_.next(where, measured, previous);
  if (best.empty()) return retold(std::move(best), name(), nullptr);
  const iteration_digest& plain = measured.plain();
  if (plain.kept().size() < iteration_digest::most_kept) return plain_plan(name(), plan_decision::trying_plain, false);
  best = retold(std::move(best), name(), &plain);
  if (!best.standing().settled) return best;
  const iteration_digest* const planned = measured.planned_at(best.standing().packing_level);
  // A lone packing is settled before it ever ran.
  if (planned == nullptr || planned->kept().size() < iteration_digest::most_kept) {
    best.describe({.packing_level = best.standing().packing_level, .settled = false}, best.why());
    return best;
  }
  if (planned->median_ns() < plain.median_ns()) return best;
  plan stays_plain = plain_plan(name(), plan_decision::no_plan_is_faster, true);
  plan_explanation why = best.why();
  why.decision = plan_decision::no_plan_is_faster;
  why.subtrees = 0;
  why.domain_shares.clear();
  stays_plain.describe({.settled = true}, std::move(why));
  return stays_plain;
}

search_order auto_policy::order(const machine& where, phase now) const {
  search_order order = planned_.order(where, now);
  order.add({.where = look::own_high_pool, .only = {.rather_than_sleep = true}});
  return order;
}

}  // namespace nearfork

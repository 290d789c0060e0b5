#include "plan/policies/auto_policy.hpp"

#include <algorithm>
#include <utility>

#include "machine/model/machine.hpp"
#include "plan/packing/packed_plan.hpp"
#include "plan/packing/share_search.hpp"
#include "plan/packing/shared_cache.hpp"
#include "plan/packing/tuning.hpp"
#include "plan/plans/domain_share.hpp"
#include "plan/policies/homed_tasks.hpp"
#include "plan/policies/locality_orders.hpp"
#include "plan/policies/used_domains.hpp"
#include "plan/profile/subtree_bytes.hpp"
#include "plan/traffic/near_turns.hpp"
#include "plan/traffic/node_parts.hpp"

#include <cstdlib>
namespace nearfork {
namespace {
int knob(const char* n, int d) { const char* v = std::getenv(n); return v ? std::atoi(v) : d; }

trial_summary summary_of(const iteration_digest& plain, bool given_up) {
  return {.what = "plain stealing",
          .iterations = plain.count(),
          .shortest_ns = plain.shortest_ns(),
          .median_ns = plain.median_ns(),
          .given_up = given_up};
}

bool is_complete(const iteration_digest& seen) noexcept {
  return seen.kept().size() == iteration_digest::most_kept;
}

/// True if a sweep finds nothing in the caches of what the last sweep began with.
bool outgrows_caches(const machine& where, const profile& measured) {
  const bytes_of_task bytes = best_known_bytes(measured);
  double caches = 0;
  for (const domain& one : where.domains()) caches += static_cast<double>(shared_cache_bytes(one));
  return bytes && caches > 0 && bytes(tree_root) > caches;
}

/// True if all cores of one cache also share one memory.
bool has_one_memory(const machine& where) {
  return where.cores_are_domains() && where.nodes().size() <= 1;
}

/// True if one domain's caches hold all data. 
bool begins_plainly(const machine& where, std::uint64_t input_bytes) {
  if (has_one_memory(where)) return true;
  double one_cache = static_cast<double>(least_shared_cache_bytes(where));
  if (where.cores_are_domains()) one_cache *= static_cast<double>(where.domains().size());
  return input_bytes > 0 && static_cast<double>(input_bytes) * knob("K1", 16) <= 16 * one_cache;
}

/// Plain stealing must be faster by more than this: with two equals a change would gain nothing.
constexpr double noticeable_gain = 0.01;

/// The first packing runs so often before it is compared with plain stealing.
const std::size_t least_seen_of_first = static_cast<std::size_t>(knob("K4", 3));

/// True if plain stealing is so much faster than the first packing that no other packing need be tried: those next to
/// it differ by a few hundredths.
bool cannot_win(const iteration_digest& first, const iteration_digest& plain) noexcept {
  if (first.kept().size() < 2 || plain.kept().size() < 2) return false;
  const bool sure = first.kept().size() >= least_seen_of_first && is_complete(plain);
  const double times = sure ? 1.05 : 1.2;
  return static_cast<double>(first.kept().front()) >=
         times * static_cast<double>(plain.median_ns()) + static_cast<double>(plain.spread_ns());
}

plan with_parts(const machine& where, plan made, data_parts parts) {
  made.retell([&](plan_explanation& why) { tell_parts(where, parts, why.traffic); });
  made.place_data(std::move(parts));
  return made;
}

/// The data of each domain lie on all nodes near it that answer early.
plan on_early_nodes(const machine& where, plan made, const std::vector<double>& borders) {
  if (!has_several(where, near_nodes::early)) return made;
  return with_parts(where, std::move(made), parts_in_turn(where, borders, near_nodes::early));
}

/// Memory that answers late is tried by regions that read at least this part of the other nodes' bandwidth. It is a
/// lower bound: caches write lines back, too, and all that is known is how many bytes a sweep touches.
constexpr double least_use_of_bandwidth = 0.4;

bool wants_late_memory(const machine& where, const profile& measured, std::uint64_t iteration_ns) {
  const double early = bandwidth_near(where, near_nodes::early);
  const bool has_late = bandwidth_near(where, near_nodes::all) > early;
  if (!has_late || iteration_ns == 0 || !outgrows_caches(where, measured)) return false;
  const double bytes_per_ns = best_known_bytes(measured)(tree_root) / static_cast<double>(iteration_ns);
  return bytes_per_ns >= least_use_of_bandwidth * early;
}

/// The plan under our policy's name, with the measurements of plain stealing.
plan retold(plan made, std::string_view name, const iteration_digest* plain, bool plain_given_up = false) {
  made.retell([&](plan_explanation& why) {
    why.policy = name;
    why.turns_back = made.turns_back();
    if (plain != nullptr) why.plain_trial = summary_of(*plain, plain_given_up);
  });
  return made;
}

}  // namespace

policy_needs auto_policy::needs() const {
  policy_needs made = planned_.needs();
  made.core_domains = true;
  return made;
}

plan auto_policy::first(const machine& where, const region_facts& facts) const {
  const std::vector<double> borders = even_borders(static_cast<std::uint32_t>(where.domains().size()));
  if (where.cores_are_domains() && facts.input_bytes == 0)
    return on_early_nodes(where, plain_plan(name(), plan_decision::one_domain, true), borders);
  // Pages have one place to go, so a plan would decide nothing yet, and it would keep the workers apart.
  if (has_one_memory(where)) return plain_plan(name(), plan_decision::trying_plain, false);
  if (begins_plainly(where, facts.input_bytes)) {
    plan made = plain_plan(name(), plan_decision::trying_plain, false);
    made.place_data(borders);
    return on_early_nodes(where, std::move(made), borders);
  }
  return on_early_nodes(where, retold(planned_.first(where, facts), name(), nullptr), borders);
}

/// What the first packing of each choice of shares told about the domains. Shares of a tree of few tasks cannot be as
/// fine as differences that count.
share_choice auto_policy::shares_for(const machine& where, const profile& measured) {
  constexpr std::size_t least_tasks_per_domain = 32;
  const std::size_t domains = where.domains().size();
  if (measured.tree().size() < least_tasks_per_domain * domains || used_domains(where, measured) < domains) return {.shares = {}, .settled = true};
  const auto seen = [&](std::size_t k) -> share_evidence {
    const trial_id trial = trial_of_packing(0, static_cast<trial_series>(k));
    return {measured.domains_under(trial), measured.evidence_of(trial)};
  };
  const auto subtrees_of = [&](const std::vector<double>& shares) {
    return first_packing(where, homed_tasks(where, measured, weighted_borders(shares))).size();
  };
  return search_shares(domains, seen, subtrees_of, {.early = early_});
}

plan auto_policy::next(const machine& where, const profile& measured, const plan& previous) const {
  // Trials that were given up early have little evidence; iterations after the search do not reopen it.
  if (previous.standing().settled) return previous;
  const share_choice shares = shares_for(where, measured);
  const auto series = static_cast<trial_series>(shares.trial);
  const std::uint32_t used = used_domains(where, measured);
  const auto all = static_cast<std::uint32_t>(where.domains().size());
  const bytes_of_task bytes = best_known_bytes(measured);
  const bool fits = bytes && bytes(tree_root) <= used * static_cast<double>(least_shared_cache_bytes(where));
  plan best = planned_.next_with(where, measured, series == 0 ? even_borders(all, used) : weighted_borders(shares.shares), series,
     knob("K2", 1) && fits ? laws_policy::packings::first : laws_policy::packings::all);
  if (best.empty()) return retold(std::move(best), name(), nullptr);
  if (used < all) { best.begin_in(first_domain); best.place_data(even_borders(all)); }
  const std::vector<double> borders = best.data().borders;
  best = on_early_nodes(where, std::move(best), borders);
  const iteration_digest& plain = measured.plain();
  const iteration_digest* const first = measured.evidence_of(trial_of_packing(0, series));
  const bool plain_lost = first != nullptr && has_lost_to_plan(plain, *first);
  // The manner of the profiled iteration goes on, because it left its data in the caches.
  const bool plan_goes_first =
      !(knob("K6", 1) ? begins_plainly(where, measured.input_bytes()) : has_one_memory(where)) && (first == nullptr || first->kept().size() < least_seen_of_first);
  if (!plain_lost && !plan_goes_first && !is_complete(plain)) {
    if (first == nullptr || !cannot_win(*first, plain)) return plain_plan(name(), plan_decision::trying_plain, false);
  }
  if (outgrows_caches(where, measured)) best.turn_back();
  best = retold(std::move(best), name(), plain.count() > 0 ? &plain : nullptr, plain_lost);
  if (series > 0) best.retell([&](plan_explanation& why) { why.measured_shares = shares.shares; });
  // Late memory may help the plan that has won; data_course.hpp takes it back where it does not.
  const auto settle = [&](plan won, const iteration_digest& under) {
    if (!wants_late_memory(where, measured, under.median_ns())) return won;
    return with_parts(where, std::move(won), parts_in_turn(where, borders, near_nodes::all));
  };
  if (first != nullptr && cannot_win(*first, plain)) return settle(stays_plain(best.why()), plain);
  if (!best.standing().settled) return best;
  const iteration_digest* const planned = measured.evidence_of(best.standing().trial);
  if (knob("K5", 1) && planned != nullptr && is_complete(plain) && !plain_lost) {
    const double m = static_cast<double>(plain.median_ns()) * (1 + noticeable_gain);
    const auto slower = std::ranges::count_if(planned->kept(), [&](std::uint64_t ns) { return static_cast<double>(ns) > m; });
    if (slower >= 3) return settle(stays_plain(best.why()), plain);
    if (static_cast<std::ptrdiff_t>(planned->kept().size()) - slower >= 3) return settle(std::move(best), *planned);
  }
  // A lone packing is settled before it ever ran.
  if (planned == nullptr || !is_complete(*planned)) {
    best.retell([](plan_explanation& why) { if (knob("K7",1)) why.decision = plan_decision::trying; });
    best.describe({.trial = best.standing().trial, .settled = false}, best.why());
    return best;
  }
  const double most_ns = static_cast<double>(plain.median_ns()) * (1 + noticeable_gain);
  if (plain_lost || static_cast<double>(planned->median_ns()) <= most_ns) return settle(std::move(best), *planned);
  return settle(stays_plain(best.why()), plain);
}

bool auto_policy::has_outlived(const machine&, const profile& measured, const plan& settled) const {
  const domain_digest* const then = measured.domains_under(settled.standing().trial);
  return then != nullptr && domains_have_changed(*then, measured.iterations(), settled.standing().trial);
}

plan auto_policy::stays_plain(plan_explanation why) const {
  plan made = plain_plan(name(), plan_decision::no_plan_is_faster, true);
  why.decision = plan_decision::no_plan_is_faster;
  why.subtrees = 0;
  why.turns_back = false;
  why.domain_shares.clear();
  made.describe({.settled = true}, std::move(why));
  return made;
}

bool auto_policy::has_lost_to_plan(const iteration_digest& plain, const iteration_digest& first) noexcept {
  if (knob("K3", 1) == 0) return !is_complete(plain) && is_hopeless(plain, first, early_);
  const std::size_t seen = plain.kept().size();
  if (seen == 0 || is_complete(plain) || first.kept().empty()) return false;
  const double p = static_cast<double>(plain.kept().front()), f = static_cast<double>(first.kept().front());
  return p >= (seen == 1 ? 2.0 : seen == 2 ? 1.2 : 1.05) * f;
}

// Where nothing is planned the steps are those of `random`, in its order. The others come only while a plan is in
// progress, or find what lies in pools.
search_order auto_policy::order(const machine& where, phase now) const {
  const search_order locality = where.cores_are_domains() ? home_order() : planned_.order(where, now);
  search_order order{{.where = look::own_deque},
                     {.where = look::own_low_pool, .from = work_end::newest},
                     {.where = look::any_deque, .only = {.not_while_planned = true}}};
  for (search_step step : locality.steps()) {
    if (step.where == look::own_deque || step.where == look::own_low_pool || step.only.not_while_planned) continue;
    if (step.where == look::remote_high_pools && !where.cores_are_domains()) step.only.rather_than_sleep = true;
    order.add(step);
  }
  if (!where.cores_are_domains())
    order.add({.where = look::own_high_pool, .from = work_end::newest, .only = {.rather_than_sleep = true}});
  return order;
}

}  // namespace nearfork

#include "plan/policies/auto_policy.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "machine/model/machine.hpp"
#include "plan/packing/crossing.hpp"
#include "plan/packing/packed_plan.hpp"
#include "plan/packing/share_search.hpp"
#include "plan/packing/shared_cache.hpp"
#include "plan/packing/tuning.hpp"
#include "plan/plans/domain_share.hpp"
#include "plan/policies/homed_tasks.hpp"
#include "plan/policies/locality_orders.hpp"
#include "plan/profile/subtree_bytes.hpp"
#include "plan/traffic/near_turns.hpp"
#include "plan/traffic/node_parts.hpp"

namespace nearfork {
namespace {

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

/// True if all domains have the same memories.
bool share_memories(const machine& where) {
  const domain& first = where.domains().front();
  return std::ranges::all_of(where.domains(), [&](const domain& one) { return one.nodes == first.nodes; });
}

/// True if the cache of any one domain holds all data, so that memory is hardly asked for them.
bool fit_one_cache(const machine& where, std::uint64_t input_bytes) {
  const auto holds_all = [&](const domain& one) { return input_bytes <= common_cache_bytes(one); };
  return input_bytes > 0 && std::ranges::all_of(where.domains(), holds_all);
}

/// True if a region's first iterations are plain: where domains share their memories, or where one cache holds all
/// data. Pages have only one place to go, or are hardly asked for, so a plan would decide nothing yet, and it would
/// keep the workers apart.
bool begins_plainly(const machine& where, std::uint64_t input_bytes) {
  if (where.domains().size() < 2) return false;
  return share_memories(where) || fit_one_cache(where, input_bytes);
}

/// The first packing runs so often before it is compared with plain stealing.
constexpr std::size_t least_seen_of_first = 3;

/// True if plain stealing is so much faster than the first packing that no other packing need be tried: those next to
/// it differ by a few hundredths.
bool cannot_win(const iteration_digest& first, const iteration_digest& plain) noexcept {
  if (first.kept().size() < 2 || plain.kept().size() < 2) return false;
  const bool sure = first.kept().size() >= least_seen_of_first && is_complete(plain);
  const double times = sure ? 1.05 : 1.2;
  return static_cast<double>(first.kept().front()) >=
         times * static_cast<double>(plain.median_ns()) + static_cast<double>(plain.spread_ns());
}

/// True if the domains that the plan uses were about equally busy under it, so that smaller subtrees would not spread
/// the work better.
bool evenly_busy(const domain_digest* seen, std::uint32_t used) {
  // With few workers not every domain has been seen.
  if (seen == nullptr || !seen->is_complete() || seen->domains() < used) return false;
  double most = 0;
  double all = 0;
  for (std::uint32_t d = 0; d < used; ++d) {
    most = std::max(most, seen->busy(d));
    all += seen->busy(d);
  }
  constexpr double least_mean = 0.75;
  return all >= least_mean * most * used;
}

/// Smaller subtrees are for caches that do not hold a domain's data, and for work that is not spread evenly.
laws_policy::packings worth_trying(const machine& where, const profile& measured, std::uint32_t used,
                                   trial_series series) {
  const bytes_of_task bytes = best_known_bytes(measured);
  const double caches = static_cast<double>(least_shared_cache_bytes(where)) * used;
  const bool one =
      bytes && bytes(tree_root) <= caches && evenly_busy(measured.domains_under(trial_of_packing(0, series)), used);
  return one ? laws_policy::packings::first : laws_policy::packings::all;
}

/// Plain stealing must be faster by more than this: with two equals a change would gain nothing. Where plain stealing
/// began, a plan that is slower has lost.
double noticeable_gain(const machine& where) noexcept {
  return share_memories(where) ? 0 : 0.01;
}

/// Which of both has the lower median, once three iterations of the plan's five tell. nullopt: not yet.
std::optional<bool> plan_wins(const machine& where, const iteration_digest& planned, const iteration_digest& plain) {
  if (plain.count() == 0) return std::nullopt;
  const double most_ns = static_cast<double>(plain.median_ns()) * (1 + noticeable_gain(where));
  return planned.most_are([&](std::uint64_t ns) { return static_cast<double>(ns) <= most_ns; });
}

plan with_parts(const machine& where, plan made, data_parts parts) {
  made.retell([&](plan_explanation& why) { tell_parts(where, parts, why.traffic); });
  made.place_data(std::move(parts));
  return made;
}

/// The data of each domain lie on all nodes near it that answer early, for their bandwidth. Data that caches hold stay
/// on the nearest: `components` with 67 MiB on `xeon-max-9480` waited 2.3% longer for HBM, and its bandwidth was idle.
plan on_early_nodes(const machine& where, plan made, const std::vector<double>& borders, std::uint64_t input_bytes) {
  if (!has_several(where, near_nodes::early) || fit_one_cache(where, input_bytes)) return made;
  return with_parts(where, std::move(made), parts_in_turn(where, borders, near_nodes::early));
}

/// What the last iteration moved to and from memory; where that is not counted, what a sweep touches, which is less,
/// and nothing if the caches hold that.
double memory_bytes(const machine& where, const profile& measured) {
  double counted = 0;
  if (!measured.iterations().empty())
    for (const std::uint64_t bytes : measured.iterations().back().traffic_bytes_of_node)
      counted += static_cast<double>(bytes);
  return std::max(counted, outgrows_caches(where, measured) ? best_known_bytes(measured)(tree_root) : 0);
}

/// Memory that answers late is tried by regions that use at least this part of the other nodes' bandwidth.
constexpr double least_use_of_bandwidth = 0.4;

bool wants_late_memory(const machine& where, const profile& measured, std::uint64_t iteration_ns) {
  const double early = bandwidth_near(where, near_nodes::early);
  const bool has_late = bandwidth_near(where, near_nodes::all) > early;
  if (!has_late || iteration_ns == 0) return false;
  return memory_bytes(where, measured) / static_cast<double>(iteration_ns) >= least_use_of_bandwidth * early;
}

/// The plan under our policy's name, with the measurements of plain stealing.
plan retold(plan made, std::string_view name, const iteration_digest* plain, bool plain_given_up = false) {
  made.retell([&](plan_explanation& why) {
    why.policy = name;
    why.turns_back = made.turns_back();
    if (plain == nullptr) return;
    why.plain_trial = summary_of({}, "plain stealing", *plain);
    why.plain_trial.given_up = plain_given_up;
  });
  return made;
}

void let_cross(plan& made, const machine& where, bool may) {
  made.let_cross(std::vector<bool>(where.domains().size(), may));
  made.retell([&](plan_explanation& why) { why.crosses = may; });
}

/// The plan again, to be compared with others.
plan tried(plan made, trial_id trial) {
  made.retell([](plan_explanation& why) { why.decision = plan_decision::trying; });
  made.describe({.trial = trial, .settled = false}, made.why());
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
    return on_early_nodes(where, plain_plan(name(), plan_decision::one_domain, true), borders, facts.input_bytes);
  if (begins_plainly(where, facts.input_bytes)) {
    plan made = plain_plan(name(), plan_decision::trying_plain, false);
    if (where.nodes().size() > 1) made.place_data(borders);
    return on_early_nodes(where, std::move(made), borders, facts.input_bytes);
  }
  return on_early_nodes(where, retold(planned_.first(where, facts), name(), nullptr), borders, facts.input_bytes);
}

/// What the first packing of each choice of shares told about the domains. Shares of a tree of few tasks cannot be as
/// fine as differences that count.
share_choice auto_policy::shares_for(const machine& where, const profile& measured) {
  constexpr std::size_t least_tasks_per_domain = 32;
  const std::size_t domains = where.domains().size();
  if (measured.tree().size() < least_tasks_per_domain * domains) return {.shares = {}, .settled = true};
  const auto seen = [&](std::size_t k) -> share_evidence {
    const trial_id trial = trial_of_packing(0, static_cast<trial_series>(k));
    return {measured.domains_under(trial), measured.evidence_of(trial)};
  };
  const auto subtrees_of = [&](const std::vector<double>& shares) {
    return first_packing(where, homed_tasks(where, measured, weighted_borders(shares))).size();
  };
  return search_shares(domains, seen, subtrees_of, {.early = early_});
}

/// The packing that LAWS's search asks for. Data lie in equal parts also where few domains use them, because their
/// caches hold them, and moving them would cost more than it gains.
plan auto_policy::packed(const machine& where, const profile& measured, trial_series& series) const {
  const auto all = static_cast<std::uint32_t>(where.domains().size());
  const std::uint32_t used = used_domains(where, measured);
  if (used < all) {
    plan made = planned_.next_with(where, measured, even_borders(all, used), 0, worth_trying(where, measured, used, 0));
    if (made.empty()) return made;
    made.place_data(even_borders(all));
    made.begin_in(first_domain);
    return made;
  }
  const share_choice shares = shares_for(where, measured);
  series = static_cast<trial_series>(shares.trial);
  const std::vector<double> borders = series == 0 ? even_borders(all) : weighted_borders(shares.shares);
  plan made = planned_.next_with(where, measured, borders, series, worth_trying(where, measured, all, series));
  if (series > 0) made.retell([&](plan_explanation& why) { why.measured_shares = shares.shares; });
  return made;
}

plan auto_policy::next(const machine& where, const profile& measured, const plan& previous) const {
  // Trials that were given up early have little evidence; iterations after the search do not reopen it.
  if (previous.standing().settled) return previous;
  trial_series series = 0;
  plan best = packed(where, measured, series);
  if (best.empty()) return retold(std::move(best), name(), nullptr);
  const std::vector<double> borders = best.data().borders;
  best = on_early_nodes(where, std::move(best), borders, measured.input_bytes());
  const iteration_digest& plain = measured.plain();
  const iteration_digest* const first = measured.evidence_of(trial_of_packing(0, series));
  const bool plain_lost = first != nullptr && has_lost_to_plan(plain, *first);
  // Where pages have several places to go, the plan goes first, because that is what the profiled iteration placed them
  // for. Else plain stealing does, because it left its data in the caches.
  const bool plan_goes_first =
      !share_memories(where) && (first == nullptr || first->kept().size() < least_seen_of_first);
  if (!plain_lost && !plan_goes_first && !is_complete(plain)) {
    if (first == nullptr || !cannot_win(*first, plain)) return plain_plan(name(), plan_decision::trying_plain, false);
  }
  const bool outgrows = outgrows_caches(where, measured);
  if (outgrows) best.turn_back();
  let_cross(best, where, false);
  best = retold(std::move(best), name(), plain.count() > 0 ? &plain : nullptr, plain_lost);
  // Late memory may help the plan that has won; data_course.hpp takes it back where it does not.
  const auto settle = [&](plan won, const iteration_digest& under) {
    if (!wants_late_memory(where, measured, under.median_ns())) return won;
    data_parts parts = parts_in_turn(where, borders, near_nodes::all);
    parts.moved_share = 1 - bandwidth_near(where, near_nodes::early) / bandwidth_near(where, near_nodes::all);
    return with_parts(where, std::move(won), std::move(parts));
  };
  if (first != nullptr && cannot_win(*first, plain)) return settle(stays_plain(best.why()), plain);
  if (!best.standing().settled) return best;
  if (outgrows && !where.cores_are_domains()) best = with_crossing(where, measured, std::move(best), series);
  if (!best.standing().settled) return best;
  const iteration_digest* const planned = measured.evidence_of(best.standing().trial);
  std::optional<bool> won;
  if (planned != nullptr && plain_lost && is_complete(*planned)) won = true;
  if (planned != nullptr && !plain_lost) won = plan_wins(where, *planned, plain);
  if (won) return *won ? settle(std::move(best), *planned) : settle(stays_plain(best.why()), plain);
  // A lone packing is settled before it ever ran.
  const trial_id trial = best.standing().trial;
  return tried(std::move(best), trial);
}

/// The best packing's plan. It is not settled while its evidence is not complete, or crossing is tried.
plan auto_policy::with_crossing(const machine& where, const profile& measured, plan best, trial_series series) {
  const trial_id apart_trial = best.standing().trial;
  const trial_id trial = trial_of_crossing(best.why().packing_level, series);
  const iteration_digest* const apart = measured.evidence_of(apart_trial);
  if (apart == nullptr || !is_complete(*apart)) return tried(std::move(best), apart_trial);
  const iteration_digest* const together = measured.evidence_of(trial);
  const crossing choice = choose_crossing(
      {.apart = *apart, .use = measured.domains_under(apart_trial), .together = together, .plain = measured.plain()},
      {.early = early_});
  if (together != nullptr)
    best.retell([&](plan_explanation& why) {
      why.trials.push_back(summary_of(trial, packing_text(why.packing_level) + ", domains help each other", *together));
      why.trials.back().given_up = choice == crossing::forbidden && !is_complete(*together);
    });
  if (choice == crossing::forbidden) return best;
  let_cross(best, where, true);
  if (choice == crossing::tried) return tried(std::move(best), trial);
  best.describe({.trial = trial, .settled = true}, best.why());
  return best;
}

bool auto_policy::has_outlived(const machine&, const profile& measured, const plan& settled) const {
  const domain_digest* const then = measured.domains_under(settled.standing().trial);
  return then != nullptr && domains_have_changed(*then, measured.iterations(), settled.standing().trial);
}

/// True if a plan that won its trial is slower than plain stealing was. Caches go on changing after a trial's few
/// iterations: simulated, heat-ir of 16 MiB on xeon-8490h took 117 us in its trial, 122 plainly, and 160 from then on.
bool auto_policy::regrets(const profile& measured, const plan& settled) const {
  constexpr std::size_t least_plain = 3;  // plain stealing was not given up
  constexpr std::ptrdiff_t least_seen = 10;
  constexpr double noticeable = 1.02;
  // With noise of 3%, eight of ten are that much slower in one of 2000 plans that take as long as plain stealing.
  constexpr double most = 0.8;
  if (settled.empty() || measured.plain().kept().size() < least_plain) return false;
  const double bound_ns = noticeable * static_cast<double>(measured.plain().median_ns());
  const auto counts = [&](const iteration_summary& one) { return one.tells_of(settled.standing().trial); };
  const auto is_slow = [&](const iteration_summary& one) { return static_cast<double>(one.duration_ns) > bound_ns; };
  const auto seen = std::ranges::count_if(measured.iterations(), counts);
  const auto slow = std::ranges::count_if(measured.iterations(),
                                          [&](const iteration_summary& one) { return counts(one) && is_slow(one); });
  return seen >= least_seen && static_cast<double>(slow) >= most * static_cast<double>(seen);
}

std::optional<double> auto_policy::plain_excess(const profile& measured, const plan& settled) const {
  const iteration_digest* const planned = settled.empty() ? nullptr : measured.evidence_of(settled.standing().trial);
  const iteration_digest& plain = measured.plain();
  if (planned == nullptr || plain.count() == 0) return std::nullopt;
  return std::max(0.0, static_cast<double>(plain.median_ns()) / static_cast<double>(planned->median_ns()) - 1);
}

/// The first packing runs on after its first iterations only once plain stealing has lost. Then it does not matter that
/// more evidence, of iterations whose data had to come back, makes the packing look slower.
bool auto_policy::has_lost_to_plan(const iteration_digest& plain, const iteration_digest& first) noexcept {
  if (plain.count() == 0 || is_complete(plain)) return false;
  if (first.kept().size() > least_seen_of_first) return true;
  constexpr double clearly_slower[] = {2.0, 1.2, 1.05, 1.05};  // after one iteration, two, three, four
  return static_cast<double>(plain.kept().front()) >=
         clearly_slower[plain.kept().size() - 1] * static_cast<double>(first.median_ns()) +
             static_cast<double>(first.spread_ns());
}

// Where nothing is planned the steps are those of `random`, in its order. The others come only while a plan is in
// progress, or find what lies in pools.
//
search_order auto_policy::order(const machine& where, phase now) const {
  const search_order locality = where.cores_are_domains() ? home_order() : planned_.order(where, now);
  search_order order{{.where = look::own_deque},
                     {.where = look::own_low_pool, .item = pool_item::newest},
                     {.where = look::any_deque, .only = {.not_while_planned = true}}};
  constexpr step_conditions if_allowed{.not_while_profiling = true, .own_have_come = true, .may_cross = true};
  for (search_step step : locality.steps()) {
    if (step.where == look::injector && !where.cores_are_domains())
      for (const look others : {look::remote_high_pools, look::any_deque})
        order.add({.where = others, .spread = victim_spread::by_distance, .only = if_allowed});
    if (step.where == look::own_deque || step.where == look::own_low_pool || step.only.not_while_planned) continue;
    if (step.where == look::remote_high_pools && !where.cores_are_domains()) step.only.rather_than_sleep = true;
    order.add(step);
  }
  if (!where.cores_are_domains() && share_caches(where))
    order.add({.where = look::own_high_pool, .item = pool_item::newest, .only = {.rather_than_sleep = true}});
  return order;
}

}  // namespace nearfork

#include "plan/policies/saws_policy.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "plan/crew/core_sides.hpp"
#include "plan/packing/balance_search.hpp"
#include "plan/packing/packed_plan.hpp"
#include "plan/packing/shared_cache.hpp"
#include "plan/plans/domain_share.hpp"
#include "plan/policies/homed_tasks.hpp"
#include "plan/policies/locality_orders.hpp"
#include "plan/power/power_slack.hpp"
#include "plan/profile/subtree_bytes.hpp"

namespace nearfork {
namespace {

/// Section IV: the domains of a side share its part of the data equally.
std::vector<double> borders_at(const core_sides& sides, double factor) {
  std::vector<double> weights;
  for (const bool is_big : sides.is_big) weights.push_back(is_big ? factor / sides.big : 1.0 / sides.little);
  return weighted_borders(weights);
}

trial_id trial_of_balance(std::size_t trial) noexcept {
  return trial_id{static_cast<std::uint32_t>(trial)};
}

/// The trials that have all their iterations, up to the first one that has not.
std::vector<balance_trial> balance_trials(const profile& measured) {
  std::vector<balance_trial> trials;
  for (;;) {
    const iteration_digest* const seen = measured.evidence_of(trial_of_balance(trials.size()));
    if (seen == nullptr || !seen->mean_crossings()) return trials;
    trials.push_back({*seen->mean_crossings(), seen->median_ns(), seen->spread_ns()});
  }
}

/// 0: not known.
double region_bytes(const profile& measured) {
  if (measured.input_bytes() > 0) return static_cast<double>(measured.input_bytes());
  const bytes_of_task bytes = measured_bytes(measured);
  return bytes ? bytes(tree_root) : 0;
}

balance_summary balance_told(balance now, std::span<const balance_trial> trials, const std::vector<bool>& may_cross) {
  const auto crossing = static_cast<std::uint32_t>(std::ranges::count(may_cross, true));
  std::vector<double> crossings;
  for (const balance_trial& one : trials.first(std::min(trials.size(), now.factors.size())))
    crossings.push_back(one.crossings);
  return {.factors = std::move(now.factors),
          .crossings = std::move(crossings),
          .big_share = now.factor / (now.factor + 1),
          .monopolies = crossing,
          .distributions = static_cast<std::uint32_t>(may_cross.size()) - crossing};
}

}  // namespace

std::string_view saws_policy::name() const {
  switch (how_) {
    case variant::whole: return "saws";
    case variant::equal_shares: return "saws-noalpha";
    case variant::always_monopoly: return "saws-psm";
    case variant::always_distribution: return "saws-psd";
  }
  return "?";
}

/// The plan of `laws` under our name.
plan saws_policy::renamed(plan made) const {
  plan_explanation why = made.why();
  why.policy = name();
  made.describe(made.standing(), std::move(why));
  return made;
}

plan saws_policy::first(const machine& where, const region_facts& facts) const {
  return renamed(laws_.first(where, facts));  // the shares are equal, as in the first trial
}

plan saws_policy::next(const machine& where, const profile& measured, const plan& previous) const {
  const core_sides sides = sides_of(where);
  if (!sides.differ() || measured.tree().is_leaf(tree_root) || is_cpu_bound(measured))
    return renamed(laws_.next(where, measured, previous));
  return balanced(where, sides, measured);
}

plan saws_policy::balanced(const machine& where, const core_sides& sides, const profile& measured) const {
  const double even = sides.even_factor();
  const std::vector<balance_trial> trials = balance_trials(measured);
  balance now = how_ == variant::equal_shares ? balance{.factor = even, .settled = true, .factors = {even}}
                                              : search_balance(even, trials);
  const std::vector<double> borders = borders_at(sides, now.factor);
  const task_facts facts = homed_tasks(where, measured, borders);
  const packing roots = first_packing(where, facts);
  std::vector<bool> may_cross = crossing_domains(where, borders, measured);

  plan made = plan_of(facts, roots);
  made.place_data(borders_at(sides, even));
  plan_explanation why =
      explanation_of(name(), now.settled ? plan_decision::balanced : plan_decision::balancing, facts, roots);
  const plan_standing standing{.trial = trial_of_balance(now.trial), .settled = now.settled};
  why.balance = balance_told(std::move(now), trials, may_cross);
  made.describe(standing, std::move(why));
  made.let_cross(std::move(may_cross));
  return made;
}

/// Section V.B. If the size of the data is not known, all may cross: the paper prefers the monopoly "in most
/// situations". If a cache is not known, its domain has the distribution.
std::vector<bool> saws_policy::crossing_domains(const machine& where, const std::vector<double>& borders,
                                                const profile& measured) const {
  const double bytes = region_bytes(measured);
  const auto may_cross = [&](std::size_t d) {
    if (how_ == variant::always_monopoly) return true;
    if (how_ == variant::always_distribution) return false;
    return bytes == 0 || leaves_room(bytes * (borders[d + 1] - borders[d]),
                                     static_cast<double>(shared_cache_bytes(where.domains()[d])));
  };
  std::vector<bool> made;
  for (std::size_t d = 0; d < where.domains().size(); ++d) made.push_back(may_cross(d));
  return made;
}

search_order saws_policy::order(const machine& where, phase now) const {
  if (!sides_of(where).differ()) return laws_.order(where, now);
  return selective_order(
      now, how_ == variant::always_monopoly ? crossing_limits::plan : crossing_limits::plan_and_abundance);
}

}  // namespace nearfork

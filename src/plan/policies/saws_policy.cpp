#include "plan/policies/saws_policy.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "plan/crew/core_sides.hpp"
#include "plan/packing/balance_search.hpp"
#include "plan/packing/packed_plan.hpp"
#include "plan/packing/shared_cache.hpp"
#include "plan/packing/tuning.hpp"
#include "plan/plans/domain_share.hpp"
#include "plan/policies/homed_tasks.hpp"
#include "plan/policies/locality_orders.hpp"
#include "plan/profile/subtree_bytes.hpp"

namespace nearfork {
namespace {

/// Section IV: the domains of a side share its part of the data equally.
std::vector<double> borders_at(const core_sides& sides, double factor) {
  std::vector<double> weights;
  for (const bool is_big : sides.is_big) weights.push_back(is_big ? factor / sides.big : 1.0 / sides.little);
  return weighted_borders(weights);
}

/// Numbers that no packing has: these lie next to 0.
constexpr std::uint32_t first_of_balance = 1U << 30;

/// The first trial of the search for alpha is the last one of the search for the packing.
trial_id trial_of_balance(std::size_t trial, std::int32_t packing_level) noexcept {
  if (trial == 0) return trial_of_packing(packing_level);
  return trial_id{first_of_balance + static_cast<std::uint32_t>(trial)};
}

/// What the iterations of one trial saw; nullopt: it has not all of them yet.
using trial_reader = std::optional<balance_trial> (*)(const iteration_digest&);

std::optional<balance_trial> some_iterations(const iteration_digest& seen) {
  if (!seen.mean_crossings()) return std::nullopt;
  return balance_trial{*seen.mean_crossings(), seen.median_ns(), seen.spread_ns()};
}

std::optional<balance_trial> one_iteration(const iteration_digest& seen) {
  if (seen.count() == 0) return std::nullopt;
  return balance_trial{static_cast<double>(seen.first_crossings()), seen.first_ns(), 0};
}

/// The trials that have all their iterations, up to the first one that has not.
std::vector<balance_trial> balance_trials(const profile& measured, std::int32_t packing_level, trial_reader read) {
  std::vector<balance_trial> trials;
  for (;;) {
    const iteration_digest* const seen = measured.evidence_of(trial_of_balance(trials.size(), packing_level));
    const std::optional<balance_trial> made = seen == nullptr ? std::nullopt : read(*seen);
    if (!made) return trials;
    trials.push_back(*made);
  }
}

/// The packing as many levels from the first one, or the last one before it that exists.
packing packing_at(std::int32_t level, packing_ladder ladder) {
  while (ladder.at(level) == nullptr) level += level > 0 ? -1 : 1;
  return *ladder.at(level);
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
    case variant::as_printed: return "saws-printed";
    case variant::with_moves: return "saws-migrate";
    case variant::equal_shares: return "saws-noalpha";
    case variant::always_monopoly: return "saws-psm";
    case variant::always_distribution: return "saws-psd";
  }
  return "?";
}

/// The plan of `laws` under our name.
plan saws_policy::renamed(plan made) const {
  made.retell([this](plan_explanation& why) { why.policy = name(); });
  return made;
}

plan saws_policy::first(const machine& where, const region_facts& facts) const {
  return renamed(laws_.first(where, facts));  // the shares are equal, as in the first trial
}

plan saws_policy::next(const machine& where, const profile& measured, const plan& previous) const {
  plan packed = renamed(laws_.next(where, measured, previous));
  const core_sides sides = sides_of(where);
  if (!sides.differ() || packed.empty()) return packed;
  if (how_ == variant::as_printed) return balanced(where, sides, measured, {});
  return packed.standing().settled ? balanced(where, sides, measured, packed.why())
                                   : evenly_shared(where, sides, measured, std::move(packed));
}

balance saws_policy::searched(double even, std::span<const balance_trial> trials) const {
  if (how_ == variant::equal_shares) return {.factor = even, .settled = true, .factors = {even}};
  return search_balance(even, trials, {.as_printed = how_ == variant::as_printed});
}

/// While LAWS' Algorithm 1 looks for the packing.
plan saws_policy::evenly_shared(const machine& where, const core_sides& sides, const profile& measured,
                                plan packed) const {
  const double even = sides.even_factor();
  std::vector<bool> may_cross = crossing_domains(where, borders_at(sides, even), measured);
  packed.retell(
      [&](plan_explanation& why) { why.balance = balance_told({.factor = even, .factors = {even}}, {}, may_cross); });
  packed.let_cross(std::move(may_cross));
  return packed;
}

plan saws_policy::balanced(const machine& where, const core_sides& sides, const profile& measured,
                           const plan_explanation& packed) const {
  const std::int32_t packing_level = packed.packing_level;
  const double even = sides.even_factor();
  const std::vector<balance_trial> trials =
      balance_trials(measured, packing_level, how_ == variant::as_printed ? one_iteration : some_iterations);
  balance now = searched(even, trials);
  const std::vector<double> borders = borders_at(sides, now.factor);
  const task_facts facts = homed_tasks(where, measured, borders);
  const packing roots =
      packing_at(packing_level, {facts.tree, first_packing(where, facts), has_home(facts), facts.homes});
  std::vector<bool> may_cross = crossing_domains(where, borders, measured);

  plan made = plan_of(facts, roots);
  made.place_data(how_ == variant::with_moves ? borders : borders_at(sides, even));
  plan_explanation why =
      explanation_of(name(), now.settled ? plan_decision::balanced : plan_decision::balancing, facts, roots);
  why.packing_level = packing_level;
  why.trials = packed.trials;
  const plan_standing standing{.trial = trial_of_balance(now.trial, packing_level), .settled = now.settled};
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
    return bytes == 0 || leave_room(bytes * (borders[d + 1] - borders[d]),
                                    static_cast<double>(shared_cache_bytes(where.domains()[d])));
  };
  std::vector<bool> made;
  for (std::size_t d = 0; d < where.domains().size(); ++d) made.push_back(may_cross(d));
  return made;
}

clock_sharing saws_policy::clocks(const machine& where) const {
  return sides_of(where).differ() ? clock_sharing::slack : clock_sharing::none;
}

search_order saws_policy::order(const machine& where, phase now) const {
  if (!sides_of(where).differ()) return laws_.order(where, now);
  return selective_order(
      now, how_ == variant::always_monopoly ? crossing_limits::plan : crossing_limits::plan_and_abundance);
}

}  // namespace nearfork

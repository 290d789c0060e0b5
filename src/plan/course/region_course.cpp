#include "plan/course/region_course.hpp"

#include <algorithm>
#include <utility>

#include "plan/packing/packed_plan.hpp"

namespace nearfork {

region_course::region_course(const machine& where, const policy& how, region_facts facts,
                             const clock_rule_of_goal& clocks)
    : machine_(where),
      policy_(how),
      facts_(std::move(facts)),
      wants_profiles_(how.needs().profile),
      in_force_(how.first(where, facts_)),
      clocks_(clocks) {}

std::optional<iteration_kind> region_course::begin() {
  ++iterations_;
  const bool learning = wants_profiles_ && !in_force_.standing().settled;
  iteration_kind begun{.profiling = learning && !measured_, .planned = !in_force_.empty(), .clocks = clocks_.step()};
  const bool says_nothing = !begun.planned && in_force_.data().borders.empty();
  if (in_progress_ || (!learning && says_nothing && !clocks_.is_on())) return std::nullopt;
  in_progress_ = true;
  if (begun.profiling) ++profiled_;
  else if (begun.planned) ++planned_;
  if (in_force_.turns_back()) {
    begun.first_sweep = next_sweep_;
    if (in_force_.root_forks() % 2 != 0) next_sweep_ = turned(next_sweep_);
  }
  return begun;
}

void region_course::end(iteration_kind begun, iteration_outcome outcome) {
  in_progress_ = false;
  if (begun.profiling) {
    if (!outcome.recorded) return stay_plain();
    measured_ = std::move(outcome.recorded);
  }
  // Which plan is best is decided first, at normal clocks: it decides how long cores wait for memory.
  const bool has_its_plan = !wants_profiles_ || in_force_.standing().settled;
  if (has_its_plan && !begun.profiling && !outcome.moved_data) clocks_.add(outcome.duration_ns, outcome.energy_nj);
  if (measured_) learn(begun, std::move(outcome));
}

void region_course::learn(iteration_kind begun, iteration_outcome outcome) {
  if (begun.planned && !begun.profiling) {
    shape_.add(outcome.strayed);
    if (shape_.wants_profile()) return profile_anew();
  }
  measured_->add_traffic(outcome.traffic);
  const plan_standing standing = in_force_.standing();
  const manner now{begun.profiling, begun.planned, standing.trial};
  const bool transition = std::exchange(last_, now) != now || outcome.moved_data;
  measured_->add_iteration({.duration_ns = outcome.duration_ns,
                            .steals_between_domains = outcome.steals_between_domains,
                            .wanted_crossings = outcome.wanted_crossings,
                            .profiled = begun.profiling,
                            .planned = begun.planned,
                            .transition = transition,
                            .slowed = begun.clocks != normal_step,
                            .trial = standing.trial,
                            .wait_ns_of_domain = std::move(outcome.wait_ns_of_domain),
                            .traffic_bytes_of_node = std::move(outcome.traffic_bytes_of_node),
                            .use_of_domain = std::move(outcome.use_of_domain)});
  if (look_.is_on()) {
    if (!outcome.moved_data && look_.add(outcome.duration_ns)) in_force_ = look_.end();
    return;
  }
  if (standing.settled) {
    if (outcome.moved_data) settled_for_ = 0;  // the search saw the data where they lay before
    else if (clocks_.settled()) search_anew_if_advised();
    return;
  }
  settled_for_ = 0;
  in_force_ = policy_.next(machine_, *measured_, in_force_);
}

// A search costs some dozen iterations that may be slower. Where the machine changes all the time, each search has to
// last longer than the one before.
void region_course::search_anew_if_advised() {
  constexpr std::uint64_t least_to_regret = 12;
  constexpr std::uint64_t least_to_outlive = 32;
  constexpr std::uint32_t most_doublings = 8;
  const std::uint32_t doublings = std::min(searches_, most_doublings);
  ++settled_for_;
  const bool regrets = settled_for_ >= least_to_regret << doublings && policy_.regrets(*measured_, in_force_);
  const bool outlived =
      settled_for_ >= least_to_outlive << doublings && policy_.has_outlived(machine_, *measured_, in_force_);
  if (!regrets && !outlived) return look_again_if_cheap();
  ++searches_;
  settled_for_ = 0;
  measured_->forget_trials();
  clocks_.begin_anew();
  in_force_ = policy_.next(machine_, *measured_, {});
}

void region_course::look_again_if_cheap() {
  const std::optional<double> excess = policy_.plain_excess(*measured_, in_force_);
  if (!excess || !look_.is_due(settled_for_, *excess)) return;
  std::vector<std::uint64_t> lately_ns = measured_->lately_under(in_force_.standing().trial);
  if (lately_ns.size() < second_look::least_seen) return;
  in_force_ = look_.begin(std::move(in_force_), std::move(lately_ns));
}

// Forever: a second profile would be as large and cost as much.
void region_course::stay_plain() {
  in_force_ = plain_plan(policy_.name(), plan_decision::tree_too_large, true);
}

void region_course::profile_anew() {
  shape_.begin_anew();
  measured_.reset();
  clocks_.begin_anew();
  in_force_ = policy_.first(machine_, facts_);
}

}  // namespace nearfork

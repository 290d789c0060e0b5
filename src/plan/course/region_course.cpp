#include "plan/course/region_course.hpp"

#include <utility>

#include "plan/packing/packed_plan.hpp"

namespace nearfork {

region_course::region_course(const machine& where, const policy& how, region_facts facts)
    : machine_(where),
      policy_(how),
      facts_(std::move(facts)),
      wants_profiles_(how.needs().profile),
      in_force_(how.first(where, facts_)) {}

std::optional<iteration_kind> region_course::begin() {
  ++iterations_;
  const bool learning = wants_profiles_ && !in_force_.standing().settled;
  iteration_kind begun{.profiling = learning && !measured_, .planned = !in_force_.empty()};
  if (in_progress_ || (!learning && !begun.planned)) return std::nullopt;
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
  if (measured_) learn(begun, std::move(outcome));
}

void region_course::learn(iteration_kind begun, iteration_outcome outcome) {
  if (begun.planned && !begun.profiling) {
    shape_.add(outcome.strayed);
    if (shape_.wants_profile()) return profile_anew();
  }
  const plan_standing standing = in_force_.standing();
  const manner now{begun.profiling, begun.planned, standing.trial};
  const bool transition = std::exchange(last_, now) != now || outcome.moved_data;
  measured_->add_iteration({.duration_ns = outcome.duration_ns,
                            .steals_between_domains = outcome.steals_between_domains,
                            .wanted_crossings = outcome.wanted_crossings,
                            .profiled = begun.profiling,
                            .planned = begun.planned,
                            .transition = transition,
                            .trial = standing.trial,
                            .wait_ns_of_domain = std::move(outcome.wait_ns_of_domain),
                            .traffic_bytes_of_node = std::move(outcome.traffic_bytes_of_node)});
  if (!standing.settled) in_force_ = policy_.next(machine_, *measured_, in_force_);
}

// Forever: a second profile would be as large and cost as much.
void region_course::stay_plain() {
  in_force_ = plain_plan(policy_.name(), plan_decision::tree_too_large, true);
}

void region_course::profile_anew() {
  shape_.begin_anew();
  measured_.reset();
  in_force_ = policy_.first(machine_, facts_);
}

}  // namespace nearfork

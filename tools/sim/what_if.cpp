#include "tools/sim/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "tools/sim/memory_waits.hpp"
#include "tools/sim/results/summary.hpp"

namespace nearfork::tools {
namespace {

/// After so many steady iterations the mean of them hardly changes.
constexpr std::size_t steady_for_spread = 10;

std::uint32_t workers_on(const sim_study& study, const simulated_machine& where) {
  return study.workers == 0 ? where.what->suggested_workers() : study.workers;
}

/// Walks through the further simulations in a fixed order, once to ask for them and once to read what came out.
/// `visit(job)` returns the simulated time of an iteration.
class further_work {
 public:
  explicit further_work(const sim_study& study) : study_(study) {}

  template <class Visit>
  void walk(what_if& into, const std::vector<std::vector<double>>& first_seed, const Visit& visit) const {
    for (std::size_t m = 0; m < study_.machines.size(); ++m) {
      machine_answer& answer = into.machines.emplace_back();
      answer.machine = study_.machines[m].name;
      answer.workers = workers_on(study_, study_.machines[m]);
      add_policies(answer, m, first_seed[m], visit);
      add_sweep(answer, m, first_seed[m], visit);
    }
    if (study_.recorded) into.here = calibrated(visit);
  }

 private:
  [[nodiscard]] simulation_job job(std::size_t machine, const std::string& policy, std::size_t steady) const {
    return {.title = fmt::format("{} under {} on {}", study_.subject, policy, study_.machines[machine].name),
            .what = &study_.program_on(machine),
            .flow = study_.flow_or_none(),
            .where = &study_.machines[machine],
            .policy = policy,
            .iterations = study_.iterations,
            .seed = study_.seed,
            .workers = study_.workers,
            .ends = {steady}};
  }

  /// By seed.
  template <class Visit>
  [[nodiscard]] std::vector<double> over_seeds(std::size_t machine, const std::string& policy, double first,
                                               const Visit& visit) const {
    std::vector<double> times{first};
    for (std::uint64_t i = 1; i < study_.seeds; ++i) {
      simulation_job asked = job(machine, policy, steady_for_spread);
      asked.seed += i;
      times.push_back(visit(asked));
    }
    return times;
  }

  /// By recording; the first is the study's own.
  template <class Visit>
  [[nodiscard]] std::vector<double> over_runs(std::size_t machine, const std::string& policy, double first,
                                              const Visit& visit) const {
    std::vector<double> times{first};
    for (const recorded_subject& one : study_.further) {
      simulation_job asked = job(machine, policy, steady_for_spread);
      asked.what = &one.what;
      asked.flow = one.flow ? &*one.flow : nullptr;
      times.push_back(visit(asked));
    }
    return times;
  }

  [[nodiscard]] static std::optional<spread> gains(const std::vector<std::vector<double>>& times,
                                                   std::optional<std::size_t> base, std::size_t policy) {
    if (!base) return std::nullopt;
    std::vector<double> made;
    for (std::size_t i = 0; i < times[policy].size(); ++i) made.push_back(gain_over(times[*base][i], times[policy][i]));
    return spread_of(std::move(made));
  }

  [[nodiscard]] std::optional<std::size_t> place_of_baseline() const {
    const auto found = std::ranges::find(study_.policies, baseline);
    if (found == study_.policies.end()) return std::nullopt;
    return static_cast<std::size_t>(found - study_.policies.begin());
  }

  [[nodiscard]] std::optional<spread> speed_ups(const std::vector<double>& times) const {
    if (!study_.recorded || study_.recorded->time_ns <= 0) return std::nullopt;
    std::vector<double> made;
    for (const double time : times) made.push_back(study_.recorded->time_ns / std::max(time, 1.0));
    return spread_of(std::move(made));
  }

  [[nodiscard]] std::optional<spread> speed_ups_of_runs(const std::vector<double>& times) const {
    if (study_.further.empty()) return std::nullopt;
    std::vector<double> made{study_.recorded->time_ns / std::max(times.front(), 1.0)};
    for (std::size_t i = 1; i < times.size(); ++i)
      made.push_back(study_.further[i - 1].facts.time_ns / std::max(times[i], 1.0));
    return spread_of(std::move(made));
  }

  template <class Visit>
  void add_policies(machine_answer& answer, std::size_t machine, const std::vector<double>& first,
                    const Visit& visit) const {
    std::vector<std::vector<double>> seeds;
    std::vector<std::vector<double>> runs;
    for (std::size_t p = 0; p < study_.policies.size(); ++p) {
      seeds.push_back(over_seeds(machine, study_.policies[p], first[p], visit));
      runs.push_back(over_runs(machine, study_.policies[p], first[p], visit));
    }
    const auto base = place_of_baseline();
    for (std::size_t p = 0; p < study_.policies.size(); ++p)
      answer.policies.push_back({.policy = study_.policies[p],
                                 .by_seed = seeds[p],
                                 .by_run = runs[p],
                                 .time_ns = spread_of(seeds[p]),
                                 .gain = gains(seeds, base, p),
                                 .speed_up = speed_ups(seeds[p]),
                                 .of_runs = speed_ups_of_runs(runs[p]),
                                 .gain_of_runs = study_.further.empty() ? std::nullopt : gains(runs, base, p)});
  }

  template <class Visit>
  void add_sweep(machine_answer& answer, std::size_t machine, const std::vector<double>& first,
                 const Visit& visit) const {
    const auto cores = static_cast<std::uint32_t>(study_.machines[machine].what->cores().size());
    answer.beyond_cores = study_.sweep_beyond(cores);
    for (const std::uint32_t workers : study_.sweep_up_to(std::max(answer.workers, 1U), cores)) {
      sweep_point& point = answer.sweep.emplace_back();
      point.workers = workers;
      for (std::size_t p = 0; p < study_.policies.size(); ++p) {
        // All iterations, as in the tables: `random` on 6 of 16 cores takes a quarter longer after ten than at first.
        simulation_job asked = job(machine, study_.policies[p], study_.iterations);
        asked.workers = workers;
        point.time_ns.push_back(workers == answer.workers ? first[p] : visit(asked));
      }
    }
  }

  template <class Visit>
  [[nodiscard]] calibration calibrated(const Visit& visit) const {
    calibration made{.why_not = study_.no_here, .same_machine = study_.recorded_here()};
    if (!study_.no_here.empty()) return made;
    made.time_ns = visit(
        simulation_job{.title = fmt::format("{} as recorded, on this machine", study_.subject),
                       .what = &study_.programs.front(),
                       .flow = study_.flow_or_none(),
                       .where = made.same_machine ? machine_of_recording(study_, *study_.recorded) : &*study_.here,
                       .policy = study_.flow ? usual_flow_rule : study_.recorded->policy,
                       .iterations = study_.iterations,
                       .seed = study_.seed,
                       .workers = study_.recorded->workers,
                       .ends = {steady_for_spread}});
    return made;
  }

  const sim_study& study_;
};

}  // namespace

spread spread_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  const bool odd = values.size() % 2 == 1;
  return {.least = values.front(),
          .middle = odd ? values[middle] : (values[middle - 1] + values[middle]) / 2,
          .most = values.back(),
          .count = values.size()};
}

std::vector<simulation_job> further_jobs_of(const sim_study& study) {
  std::vector<simulation_job> jobs;
  what_if ignored;
  const std::vector<std::vector<double>> unknown(study.machines.size(), std::vector<double>(study.policies.size(), 1));
  further_work(study).walk(ignored, unknown, [&](const simulation_job& one) {
    jobs.push_back(one);
    return 1.0;
  });
  return jobs;
}

std::optional<double> doubt_of(const sim_study& study, const calibration& here) {
  constexpr double far_off = 0.25;
  if (!study.recorded || study.recorded->time_ns <= 0 || !here.time_ns || !here.same_machine) return std::nullopt;
  const double part = *here.time_ns / study.recorded->time_ns;
  return std::abs(part - 1) > far_off ? std::optional(part) : std::nullopt;
}

what_if answer_of(const sim_study& study, const std::vector<simulation_outcome>& outcomes,
                  const std::vector<simulation_outcome>& further) {
  std::vector<std::vector<double>> first;
  auto next_outcome = outcomes.begin();
  for (std::size_t m = 0; m < study.machines.size(); ++m) {
    std::vector<double>& times = first.emplace_back();
    for (std::size_t p = 0; p < study.policies.size(); ++p)
      times.push_back(summarize(*next_outcome++).per_iteration.time_ns);
  }
  what_if made;
  auto next = further.begin();
  further_work(study).walk(made, first,
                           [&](const simulation_job&) { return summarize(*next++).per_iteration.time_ns; });
  if (made.here)
    for (machine_answer& one : made.machines) {
      one.doubt = doubt_of(study, *made.here);
      if (made.here->same_machine) one.unchecked = made.here->why_not;
    }
  return made;
}

study_results results_of(const sim_study& study, std::size_t first, std::vector<simulation_outcome> all) {
  const auto further = all.begin() + static_cast<std::ptrdiff_t>(first);
  study_results made{.outcomes = {std::make_move_iterator(all.begin()), std::make_move_iterator(further)},
                     .answer = std::nullopt};
  const std::vector<simulation_outcome> others(std::make_move_iterator(further), std::make_move_iterator(all.end()));
  const auto interrupted = [](const simulation_outcome& one) { return one.run.interrupted; };
  if (std::ranges::none_of(made.outcomes, interrupted) && std::ranges::none_of(others, interrupted))
    made.answer = answer_of(study, made.outcomes, others);
  return made;
}

bool says_more(const sim_study& study) {
  return study.recorded.has_value() || study.seeds > 1 || study.sweeps();
}

}  // namespace nearfork::tools

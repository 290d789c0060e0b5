#include "tools/advice/simulations/simulations.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <span>
#include <thread>

#include <nearfork/error.hpp>

#include "plan/plans/policy.hpp"
#include "sim/memory/pages/page_rooms.hpp"
#include "sim/programs/recorded_program.hpp"
#include "tools/advice/recorded_data.hpp"
#include "tools/advice/simulations/own_lines.hpp"
#include "tools/advice/simulations/simulated_workers.hpp"
#include "tools/report/inputs/inputs.hpp"
#include "tools/sim/formats.hpp"
#include "tools/sim/memory_waits.hpp"
#include "tools/sim/results/summary.hpp"
#include "tools/sim/what_if.hpp"
#include "tools/terminal/interrupt.hpp"
#include "tools/terminal/progress_line.hpp"

namespace nearfork::tools {
namespace {

using change = simulated_variant::change;

/// The mean of so many steady iterations tells variants apart.
constexpr std::size_t steady_enough = 6;
constexpr double soon_done = 1;  // seconds
constexpr std::uint64_t iterations_if_large = 6;
/// Leaves that work for longer are large enough.
constexpr double fine_leaf = 2000;  // nanoseconds
/// Of the pages: less is input that a program reads once.
constexpr double enough_from_outside = 0.2;
constexpr std::uint64_t larger_leaves_ns[] = {2'000, 10'000};

/// `work` gets a campaign_watcher and a campaign_stop.
template <class Work>
auto watched(const Work& work) {
  progress_line line;
  const interrupt_watch watch;
  const auto show = [&](const campaign_progress& now) {
    if (line.elapsed_s() >= soon_done) line.show_sometimes(progress_text(now, line.elapsed_s()));
  };
  return work(show, [&] { return watch.interrupted(); });
}

std::vector<simulation_outcome> run_all(const std::vector<simulation_job>& jobs, bool& interrupted) {
  std::vector<simulation_outcome> made = watched([&](const auto& show, const auto& stops) {
    return simulate_all(jobs, std::thread::hardware_concurrency(), show, stops);
  });
  interrupted = std::ranges::any_of(made, [](const simulation_outcome& one) { return one.run.interrupted; });
  return made;
}

sim_request request_for(const std::string& path, const recordings::recording& recorded,
                        const std::vector<std::string>& machines) {
  sim_request made{.subject = path, .machines = machines, .policies = usual_policies(), .seeds = 1};
  made.sweep = std::vector<std::uint32_t>{0};
  if (sim::has_dataflow(sim::recorded_region(recorded, {}))) made.policies.clear();  // they go by other rules
  const auto known = policy_names();
  const bool is_simulated = std::ranges::find(known, recorded.policy) != known.end();
  if (is_simulated && !made.policies.empty() &&
      std::ranges::find(made.policies, recorded.policy) == made.policies.end())
    made.policies.push_back(recorded.policy);
  constexpr std::uint64_t many_tasks = 50'000;
  for (const recordings::region& region : recorded.regions)
    for (const recordings::iteration& one : region.recorded)
      if (one.graph.tasks() > many_tasks) made.iterations = iterations_if_large;
  return made;
}

double mean_leaf_ns(const recordings::recording& recorded) {
  double work = 0;
  double leaves = 0;
  for (const recordings::region& region : recorded.regions)
    for (const recordings::iteration& one : region.recorded) {
      work += static_cast<double>(one.graph.work_ns());
      for (std::uint32_t task = 0; task < one.graph.tasks(); ++task) leaves += one.graph.forks(task).empty() ? 1 : 0;
    }
  return work / std::max(leaves, 1.0);
}

/// Simulations with one thing changed. Programs stay where they are, because jobs point to them.
class variants {
 public:
  variants(const sim_study& study, std::string policy) : study_(study), policy_(std::move(policy)) {}

  void add(change what, std::string value, sim::program changed, double base_ns) {
    programs_.push_back(std::move(changed));
    made_.push_back(
        {.what = what, .value = std::move(value), .machine = study_.machines.front().name, .base_ns = base_ns});
    jobs_.push_back({.title = study_.subject + " with " + made_.back().value,
                     .what = &programs_.back(),
                     .where = &study_.machines.front(),
                     .policy = policy_,
                     .iterations = study_.iterations,
                     .seed = study_.seed,
                     .workers = study_.workers,
                     .ends = {steady_enough}});
  }
  /// Its base is the variant that was added last, which is no variant then.
  void add_against_last(change what, std::string value, sim::program changed) {
    const std::size_t base = made_.size() - 1;
    add(what, std::move(value), std::move(changed), 0);
    bases_.push_back(base);
  }
  [[nodiscard]] const std::vector<simulation_job>& jobs() const noexcept { return jobs_; }
  [[nodiscard]] std::vector<simulated_variant> with(const std::vector<simulation_outcome>& outcomes) && {
    for (std::size_t i = 0; i < made_.size(); ++i) made_[i].time_ns = summarize(outcomes[i]).per_iteration.time_ns;
    for (const std::size_t base : bases_) made_[base + 1].base_ns = made_[base].time_ns;
    for (auto base = bases_.rbegin(); base != bases_.rend(); ++base)
      made_.erase(made_.begin() + static_cast<std::ptrdiff_t>(*base));
    return std::move(made_);
  }

 private:
  const sim_study& study_;
  const std::string policy_;
  std::deque<sim::program> programs_;
  std::vector<simulated_variant> made_;
  std::vector<simulation_job> jobs_;
  std::vector<std::size_t> bases_;  // places in made_ of those that are no variants
};

bool fits(const sim::page_placing& how, const simulated_machine& where) {
  try {
    require_fit(how, *where.what, where.model);
    return true;
  } catch (const error&) {
    return false;  // the machine lacks what the rule needs, such as bandwidths
  }
}

void add_page_rules(variants& to, const sim_study& study, double base_ns) {
  const simulated_machine& where = study.machines.front();
  if (where.what->nodes().size() < 2) return;
  for (const char* const rule : {"follow-plan", "interleaved", "by-bandwidth"}) {
    const sim::page_placing how = sim::placing_called(rule);
    if (!fits(how, where)) continue;
    sim::program changed = study.program_on(0);
    changed.placing = how;
    to.add(change::pages, rule, std::move(changed), base_ns);
  }
}

/// The recording does not tell who filled the data that its tasks find filled. On a single node it does not matter.
void add_filler(variants& to, const sim_study& study, const recordings::recording& recorded, double base_ns) {
  if (study.machines.front().what->nodes().size() < 2 || study.setup != sim::setup_kind::none) return;
  if (part_from_outside(recorded) < enough_from_outside) return;
  sim::program changed = study.program_on(0);
  set_up(changed, sim::setup_kind::serial);
  to.add(change::filler, "filled by one thread", std::move(changed), base_ns);
}

/// A changed recording, set up as the study is.
sim::program program_of(const sim_study& study, const recordings::recording& changed, const std::string& region) {
  sim::program made = sim::program_from(changed, region);
  if (study.setup != sim::setup_kind::recorded) made.setup.clear();
  return made;
}

void add_larger_leaves(variants& to, const sim_study& study, const recordings::recording& recorded, double base_ns) {
  if (mean_leaf_ns(recorded) > fine_leaf) return;
  for (const std::uint64_t most_ns : larger_leaves_ns)
    to.add(change::grain, std::to_string(most_ns),
           program_of(study, with_larger_leaves(recorded, most_ns), study.program_on(0).name), base_ns);
}

/// The block with the most lines that several tasks write, in the region whose tasks do so. That is perhaps not the
/// region that all else is simulated of: then it is simulated as it is, too.
void add_own_lines(variants& to, const sim_study& study, const recordings::recording& recorded, double base_ns) {
  const auto data = data_evidence_of(recorded);
  if (!data || !data->is_shared()) return;
  const auto padded = with_own_lines(recorded, data->block);
  if (!padded) return;
  sim::program changed = program_of(study, *padded, data->region);
  if (data->region == study.program_on(0).name)
    return to.add(change::lines, data->shared_block, std::move(changed), base_ns);
  to.add(change::lines, data->shared_block, program_of(study, recorded, data->region), 0);
  to.add_against_last(change::lines, data->shared_block, std::move(changed));
}

/// Of each policy on the first machine.
std::vector<double> times_of(const sim_study& study, const std::vector<simulation_outcome>& outcomes) {
  std::vector<double> made;
  for (std::size_t i = 0; i < study.policies.size(); ++i) made.push_back(summarize(outcomes[i]).per_iteration.time_ns);
  return made;
}

/// Dataflow tasks cannot be told to be stolen at random.
void add_policies(std::vector<simulated_variant>& to, const sim_study& study, const std::vector<double>& times,
                  std::size_t present) {
  for (std::size_t i = 0; i < times.size(); ++i)
    if (i != present && !(study.flow && study.policies[i] == baseline))
      to.push_back({.what = change::policy,
                    .value = study.policies[i],
                    .machine = study.machines.front().name,
                    .base_ns = times[present],
                    .time_ns = times[i]});
}

}  // namespace

simulated_evidence simulated_evidence_of(const std::string& path, const recordings::recording& recorded,
                                         const std::vector<std::string>& machines, const std::string& name,
                                         const std::vector<worker_limit>& limits) {
  simulated_evidence made;
  sim_study study = study_from(request_for(path, recorded, machines));
  made.interrupted = watched([&](const auto& show, const auto& stops) {
    take_memory_waits_out(study, show, stops);
    return stops();
  });
  if (made.interrupted) return made;
  std::vector<simulation_job> jobs = jobs_of(study);
  const std::size_t first = jobs.size();
  for (const simulation_job& one : further_jobs_of(study)) jobs.push_back(one);
  const study_results results = results_of(study, first, run_all(jobs, made.interrupted));
  if (made.interrupted) return made;
  if (!study.recorded->names_data) made.notes.push_back(no_data_text(study.program_on(0).name));
  made.views = views_of_json(json_text(study, results), name + ", simulated");
  for (const memory_node& one : study.machines.front().what->nodes())
    made.has_hbm = made.has_hbm || one.kind == memory_kind::hbm;

  const std::vector<double> times = times_of(study, results.outcomes);
  // A recording does not say which rule its dataflow tasks went by: most often it is the usual one.
  const auto recorded_policy = std::ranges::find(study.policies, study.flow ? usual_flow_rule : recorded.policy);
  const std::size_t present =
      recorded_policy == study.policies.end() ? 0 : static_cast<std::size_t>(recorded_policy - study.policies.begin());
  variants changed(study, study.policies[present]);
  if (!study.flow) {
    const recordings::recording computing = with_computation_of(study.program_on(0), recorded);
    add_page_rules(changed, study, times[present]);
    add_filler(changed, study, recorded, times[present]);
    add_larger_leaves(changed, study, computing, times[present]);
    add_own_lines(changed, study, computing, times[present]);
  }
  const bool is_masked = std::ranges::find(limits, worker_limit::cause::affinity, &worker_limit::why) != limits.end();
  const worker_simulations other_workers(study, study.policies[present], limits,
                                         is_masked ? machine_without_affinity() : nullptr);
  std::vector<simulation_job> changed_jobs = changed.jobs();
  const std::size_t without_workers = changed_jobs.size();
  changed_jobs.insert(changed_jobs.end(), other_workers.jobs().begin(), other_workers.jobs().end());
  const std::vector<simulation_outcome> outcomes = run_all(changed_jobs, made.interrupted);
  if (made.interrupted) return made;
  made.variants = std::move(changed).with(outcomes);
  const auto of_workers = other_workers.with(std::span(outcomes).subspan(without_workers));
  made.variants.insert(made.variants.end(), of_workers.begin(), of_workers.end());
  add_policies(made.variants, study, times, present);
  return made;
}

}  // namespace nearfork::tools

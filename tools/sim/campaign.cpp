#include "tools/sim/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>

#include <nearfork/config.hpp>

#include "plan/plans/policy.hpp"
#include "tools/terminal/progress_line.hpp"

namespace nearfork::tools {
namespace {

/// The state that the threads of a campaign share.
class campaign {
 public:
  campaign(const std::vector<simulation_job>& jobs, const campaign_watcher& watch, const campaign_stop& stops,
           const campaign_end& ended)
      : jobs_(jobs),
        watch_(watch),
        stops_(stops),
        ended_(ended),
        outcomes_(jobs.size()),
        failures_(jobs.size()),
        done_iterations_(jobs.size()) {
    for (const simulation_job& job : jobs) iterations_ += static_cast<double>(job.iterations);
  }

  void work() {
    for (std::size_t i; (i = next_.fetch_add(1)) < jobs_.size();) try {
        run(i);
      } catch (...) {
        failures_[i] = std::current_exception();
        next_ = jobs_.size();
      }
  }

  [[nodiscard]] std::vector<simulation_outcome> outcomes() && {
    for (const std::exception_ptr& failure : failures_)
      if (failure) std::rethrow_exception(failure);
    return std::move(outcomes_);
  }

 private:
  void run(std::size_t i) {
    const simulation_job& job = jobs_[i];
    outcomes_[i] = {job.policy, job.iterations, {}};
    outcomes_[i].run.interrupted = true;
    if (is_stopped()) return;
    sim::event_log log(job.most_events, job.trace_tasks);
    sim::event_log* const events = job.most_events > 0 ? &log : nullptr;
    outcomes_[i].run = job.flow != nullptr ? run_flow(i, events) : run_program(i, events);
    if (events != nullptr) outcomes_[i].traced = log.taken("simulated " + job.title);
    if (outcomes_[i].run.interrupted) return;
    tell(i, static_cast<double>(job.iterations));
    const std::scoped_lock one_at_a_time(telling_);
    if (ended_) ended_(i, outcomes_[i]);
  }

  sim::region_run run_program(std::size_t i, sim::event_log* events) {
    const simulation_job& job = jobs_[i];
    const auto policy = make_policy(job.policy);
    std::size_t ran = 0;
    std::size_t steady = 0;
    const auto go_on = [&](const sim::iteration_report& seen) {
      ++ran;
      steady = ran > 1 && seen.steady() ? steady + 1 : 0;
      tell(i, static_cast<double>(ran));
      return job.ends.steady_iterations == 0 || steady < job.ends.steady_iterations;
    };
    sim::region_settings settings;
    settings.engine.workers = job.workers;
    settings.engine.seed = job.seed;
    settings.engine.goal = job.goal;
    settings.engine.model = job.where->model;
    settings.engine.log = events;
    settings.iterations = job.iterations;
    settings.go_on = go_on;
    settings.goes_on = [this, i](double iterations) { return tell_and_go_on(i, iterations); };
    return sim::run_region(*job.what, *job.where->what, *policy, settings);
  }

  /// All iterations but the first are steady.
  sim::region_run run_flow(std::size_t i, sim::event_log* events) {
    const simulation_job& job = jobs_[i];
    sim::flow_region_settings settings;
    settings.run.model = job.where->model;
    settings.run.workers = job.workers != 0 ? job.workers : job.where->what->suggested_workers();
    settings.run.seed = job.seed;
    settings.run.events = events;
    sim::follow_rule(settings.run, job.policy);
    settings.iterations = job.iterations;
    if (const std::size_t enough = job.ends.steady_iterations; enough != 0)
      settings.iterations = std::min(settings.iterations, enough + 1);
    settings.goes_on = [this, i](double iterations) { return tell_and_go_on(i, iterations); };
    return sim::run_recorded_flow(*job.flow, *job.where->what, settings);
  }

  bool tell_and_go_on(std::size_t i, double iterations) {
    tell(i, iterations);
    return !is_stopped();
  }

  [[nodiscard]] bool is_stopped() const { return stops_ && stops_(); }

  void tell(std::size_t i, double iterations) {
    if (!watch_) return;
    const std::scoped_lock one_at_a_time(telling_);
    done_iterations_[i] = iterations;
    const double done = std::accumulate(done_iterations_.begin(), done_iterations_.end(), 0.0);
    watch_({jobs_[i].title, done / std::max(1.0, iterations_)});
  }

  const std::vector<simulation_job>& jobs_;
  const campaign_watcher& watch_;
  const campaign_stop& stops_;
  const campaign_end& ended_;
  std::vector<simulation_outcome> outcomes_;
  std::vector<std::exception_ptr> failures_;
  std::atomic<std::size_t> next_{0};
  std::mutex telling_;
  double iterations_ = 0;                // of all jobs
  std::vector<double> done_iterations_;  // by job
};

}  // namespace

std::string progress_text(const campaign_progress& now, double elapsed_s) {
  return fmt::format("simulating {}: {:.0f}%{}", now.title, 100 * now.done, time_left(now.done, elapsed_s));
}

std::vector<simulation_outcome> simulate_all(const std::vector<simulation_job>& jobs, unsigned threads,
                                             const campaign_watcher& watch, const campaign_stop& stops,
                                             const campaign_end& ended) {
  campaign all(jobs, watch, stops, ended);
  const std::size_t crew = std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(1, jobs.size()));
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < crew; ++i) others.emplace_back([&] { all.work(); });
  all.work();
  others.clear();  // joins
  return std::move(all).outcomes();
}

std::size_t steady_from(const std::vector<sim::iteration_report>& iterations) {
  std::size_t from = iterations.size();
  while (from > 1 && iterations[from - 1].steady()) --from;
  const bool many = iterations.size() - from > 2;
  return many ? from + 1 : from;
}

}  // namespace nearfork::tools

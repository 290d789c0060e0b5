// Runs simulations in parallel on the available cores. Each is deterministic, so their order does not show in the
// results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/dataflow/recorded_flow.hpp"
#include "sim/engine/region_run.hpp"
#include "tools/sim/simulated_machine.hpp"
#include "trace/traced_run.hpp"

namespace nearfork::tools {

/// When a simulation may end before all its iterations have run.
struct early_end {
  std::size_t steady_iterations = 0;  // after this many consecutive ones; 0: never
};

struct simulation_job {
  std::string title;  // for the progress line
  const sim::program* what = nullptr;
  const sim::recorded_flow* flow = nullptr;  // a region with dataflow tasks: simulated instead, by the rule `policy`
  const simulated_machine* where = nullptr;
  std::string policy;
  std::size_t iterations = 1;
  std::uint64_t seed = 1;
  std::uint32_t workers = 0;
  run_goal goal = run_goal::time;
  early_end ends{};
  std::size_t most_events = 0;  // of a worker that its trace keeps; 0: no trace
  std::uint32_t trace_tasks =
      0;  // one task of so many is in the trace; 0: those that workers found elsewhere; of dataflow tasks: each
};

struct simulation_outcome {
  std::string policy;
  std::size_t wanted_iterations = 0;
  sim::region_run run;  // interrupted also if it was not started
  traces::traced_run traced{};
};

struct campaign_progress {
  std::string title;  // of the simulation that made progress
  double done = 0;    // fraction of all iterations, from 0 to 1
};
/// "simulating laws on box.xml: 40%, about 12 s left".
[[nodiscard]] std::string progress_text(const campaign_progress& now, double elapsed_s);
using campaign_watcher = std::function<void(const campaign_progress&)>;
/// True if simulations shall stop: each run ends as interrupted within a fraction of a second, and none is started.
using campaign_stop = std::function<bool()>;

/// Gets the outcome of the job of that number.
using campaign_end = std::function<void(std::size_t, const simulation_outcome&)>;

/// In the order of `jobs`, for any number of threads. Throws what the first failing simulation throws; the remaining
/// ones are then not started. Only one thread at a time calls `watch` or `ended`; any thread calls `stops`.
[[nodiscard]] std::vector<simulation_outcome> simulate_all(const std::vector<simulation_job>& jobs, unsigned threads,
                                                           const campaign_watcher& watch = {},
                                                           const campaign_stop& stops = {},
                                                           const campaign_end& ended = {});

/// The first iteration from which on all are steady. The iteration after a trial does not count as steady, because it
/// finds in the caches what the trial left there. Never the very first one, in which pages find their nodes. The number
/// of iterations if there is none.
[[nodiscard]] std::size_t steady_from(const std::vector<sim::iteration_report>& iterations);

}  // namespace nearfork::tools

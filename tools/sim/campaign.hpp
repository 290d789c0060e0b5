// Simulations side by side on the cores that there are. Each is deterministic, so who ran when does not show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/engine/region_run.hpp"
#include "tools/sim/simulated_machine.hpp"

namespace nearfork::tools {

/// When a simulation may end before all of its iterations ran.
struct early_end {
  std::size_t steady_iterations = 0;  // so many of them, one after the other; 0: never
};

struct simulation_job {
  std::string title;  // for who waits
  const sim::program* what = nullptr;
  const simulated_machine* where = nullptr;
  std::string policy;
  std::size_t iterations = 1;
  std::uint64_t seed = 1;
  std::uint32_t workers = 0;
  early_end ends{};
};

struct simulation_outcome {
  std::string policy;
  std::size_t wanted_iterations = 0;
  sim::region_run run;
};

struct campaign_progress {
  std::string title;  // of the simulation that went on
  double done = 0;    // part of all iterations, from 0 to 1
};
/// "simulating laws on box.xml: 40%, about 12 s left".
[[nodiscard]] std::string progress_text(const campaign_progress& now, double elapsed_s);
using campaign_watcher = std::function<void(const campaign_progress&)>;

/// In the order of `jobs`, whatever the number of threads. Throws what the first of them that fails throws; the others
/// are not begun then. `watch` is called by one thread at a time.
[[nodiscard]] std::vector<simulation_outcome> simulate_all(const std::vector<simulation_job>& jobs, unsigned threads,
                                                           const campaign_watcher& watch = {});

/// The first iteration from which on all are steady, but for the one after a trial, which finds in the caches what the
/// trial left there; never the very first, in which pages find their nodes. As many as there are if there is none.
[[nodiscard]] std::size_t steady_from(const std::vector<sim::iteration_report>& iterations);

}  // namespace nearfork::tools

// A region's iterations in virtual time, under any policy on any machine.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "machine/model/machine.hpp"
#include "plan/plans/plan_explanation.hpp"
#include "plan/plans/policy.hpp"
#include "plan/profile/profile.hpp"
#include "sim/engine/engine.hpp"
#include "sim/engine/iteration_report.hpp"
#include "sim/programs/program.hpp"

namespace nearfork::sim {

struct region_settings {
  engine_settings engine{};
  std::size_t iterations = 10;
  /// What a profiling iteration tells about its tasks' bytes: the misses of the simulated private caches, or nothing.
  cost_source profile = cost_source::cache_misses;
  /// How many bytes may be moved to their tasks before an iteration: as config::move_bytes.
  std::uint64_t move_bytes = std::uint64_t{64} << 20;
  /// Called after each iteration with its report. If it returns false, that iteration was the last one. Empty: all
  /// iterations run.
  std::function<bool(const iteration_report&)> go_on{};
  /// Called after each iteration with the places of all pages and the size of a page. Empty: nothing is called.
  std::function<void(const page_map&, std::uint64_t page_bytes)> see_pages{};
  /// Called after each iteration with the iteration's number and each task's own cost. Empty: nothing is called.
  std::function<void(std::size_t iteration, std::span<const task_cost>)> see_costs{};
  /// Called between iterations, and some ten to a hundred times a second, with the number of iterations done, as far as
  /// the present one is done included; 0 during the setup. If it returns false, the run is interrupted. Empty: nothing
  /// is called.
  std::function<bool(double iterations)> goes_on{};
};

struct region_run {
  std::vector<iteration_report> iterations;
  plan_explanation why;  // of the last plan in force
  bool settled = false;
  clock_search clocks{};      // which clocks were tried for the goal, if that is not time
  bool shares_power = false;  // engine::shares_power()
  bool interrupted = false;   // goes_on() said no; `iterations` are those that were complete, without `why`

  [[nodiscard]] std::uint64_t total_ps() const noexcept {
    std::uint64_t sum = 0;
    for (const iteration_report& one : iterations) sum += one.moving_ps + one.duration_ps;
    return sum;
  }
};

/// The same arguments give the same result, byte for byte.
/// Throws: nearfork::error if the machine or the program is too large to be simulated, or if the policy leaves work
/// that no worker may take.
[[nodiscard]] region_run run_region(const program& what, const machine& where, const policy& how,
                                    const region_settings& settings = {});

}  // namespace nearfork::sim

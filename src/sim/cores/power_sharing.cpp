#include "sim/cores/power_sharing.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace nearfork::sim {
namespace {

double ghz(std::uint32_t mhz) noexcept {
  return mhz / 1000.0;
}

/// Rounded down, so that no budget is exceeded.
std::uint32_t mhz_of(double ghz) noexcept {
  return static_cast<std::uint32_t>(std::floor(ghz * 1000 + 1e-6));
}

clock_range range_of(const core_model& kind, const core_power& power, double most_work_per_cycle) noexcept {
  const double normal = ghz(kind.mhz);
  const double watts = static_cast<double>(power.busy_mw - power.idle_mw) / 1000;
  return {.least_ghz = ghz(kind.least_mhz),
          .normal_ghz = normal,
          .most_ghz = ghz(kind.most_mhz),
          .lambda = watts / (normal * normal * normal),
          .work_per_cycle = kind.work_per_cycle / most_work_per_cycle};
}

}  // namespace

power_sharing::power_sharing(const machine& where, const machine_model& model, std::span<const worker_place> places,
                             clock_sharing how)
    : how_(how), delay_ps_(model.clock_change_ps) {
  double most = 0;
  for (const core_model& kind : model.kinds) most = std::max(most, kind.work_per_cycle);
  for (std::size_t i = 0; i < model.kinds.size(); ++i)
    kinds_.push_back({.clocks = range_of(model.kinds[i], model.power->cores[i], most)});
  std::set<core_id> with_workers;
  for (const worker_place& one : places) with_workers.insert(where.at(one.pu).core);
  for (const core_id core : with_workers) {
    cores_.push_back({core, where.at(core).kind});
    ++kinds_[cores_.back().kind].cores;
  }
}

std::vector<clock_change> power_sharing::choose(const core_pace& cores) {
  for (kind_load& kind : kinds_) kind.waiting = 0;
  for (const core_of_kind& one : cores_)
    if (cores.busy_workers(one.core) == 0) ++kinds_[one.kind].waiting;
  const std::vector<kind_clocks> clocks = shared_clocks(how_, kinds_, step_);
  std::vector<clock_change> changes;
  for (const core_of_kind& one : cores_) {
    const bool works = cores.busy_workers(one.core) > 0;
    const std::uint32_t mhz = mhz_of(works ? clocks[one.kind].working_ghz : clocks[one.kind].waiting_ghz);
    if (mhz != cores.mhz_of(one.core)) changes.push_back({one.core, mhz});
  }
  return changes;
}

}  // namespace nearfork::sim

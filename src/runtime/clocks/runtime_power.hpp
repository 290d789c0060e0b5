// What a runtime does about power: option `power`. Off: nothing is read or written.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nearfork/config.hpp>
#include <nearfork/run_report.hpp>

#include "base/files/system_files.hpp"
#include "runtime/clocks/energy_watch.hpp"
#include "runtime/clocks/region_power.hpp"
#include "runtime/clocks/worker_clocks.hpp"
#include "sensors/energy_meter.hpp"

namespace nearfork {

/// The files and counters of power; tests put their own there.
struct power_system {
  std::shared_ptr<const system_files> files;
  package_counter_opener open = open_package_counter;
};
[[nodiscard]] power_system live_power_system();

class runtime_power {
 public:
  runtime_power(power_use use, run_goal goal, const power_system& on);

  /// Takes over the clocks of the workers' cores. `cpus_of_core`: the numbers of their hardware threads;
  /// `core_of_worker`: indices into these. Called at most once.
  void manage(std::span<const std::vector<unsigned>> cpus_of_core, std::span<const std::uint32_t> core_of_worker,
              clock_sharing how);
  /// Notes that the clocks cannot be managed.
  void do_not_manage(std::string why, std::string remedy);
  /// The same, after manage(): restores all clocks.
  void give_up(std::string why, std::string remedy);

  /// nullptr: no clock is set.
  [[nodiscard]] worker_clocks* clocks() const noexcept { return clocks_.get(); }
  /// nullptr: no energy is measured.
  [[nodiscard]] energy_meter* meter() const noexcept {
    return meter_ != nullptr && meter_->measures() ? meter_.get() : nullptr;
  }
  /// Once it is known whether clocks are managed.
  [[nodiscard]] region_power for_regions() const noexcept;
  void add_to(run_report& into) const;

 private:
  void add_goal(run_report& into) const;
  void add_energy(run_report& into) const;
  void add_clocks(run_report& into) const;

  const power_use use_;
  const run_goal goal_;
  const std::shared_ptr<const system_files> files_;
  const std::unique_ptr<energy_meter> meter_;  // nullptr: off
  const std::unique_ptr<energy_watch> watch_;  // nullptr: nothing is measured
  const std::uint64_t started_ns_;
  std::unique_ptr<worker_clocks> clocks_;
  bool gave_up_ = false;
  std::vector<power_shortfall> refused_;
  std::vector<std::string> notes_;
};

}  // namespace nearfork

// The energy that a simulated machine uses. A working core uses its idle power and a part that grows with the cube of
// its clock, as in SAWS (equation 1: P = lambda * f ^ 3). A package uses what its model says for everything beside the
// cores.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "machine/model/machine.hpp"
#include "sim/cores/core_pace.hpp"
#include "sim/machine/machine_model.hpp"

namespace nearfork::sim {

/// Returns idle + (busy - idle) * (mhz / nominal) ^ 3, in milliwatts.
[[nodiscard]] std::uint64_t busy_power_mw(const core_power& nominal, std::uint32_t nominal_mhz, std::uint32_t mhz);

class energy_meter {
 public:
  energy_meter(const machine& where, const machine_model& model);

  /// The energy of the whole machine in `duration_ps`, in nanojoules. Cores work as `done` says, waiting for memory
  /// included. A core is idle for the rest, also while it searches for work. nullopt: the model has no power.
  [[nodiscard]] std::optional<std::uint64_t> used_nj(std::uint64_t duration_ps, std::span<const core_work> done) const;

 private:
  struct nominal_power {
    core_power power;
    std::uint32_t mhz;
  };

  bool known_ = false;
  std::uint64_t packages_mw_ = 0;
  std::vector<nominal_power> by_core_;
};

}  // namespace nearfork::sim

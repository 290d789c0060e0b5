// Power is shared among the cores that work, as a policy wants it: cores that wait have their least clock, the others
// the clocks that the plan room says (plan/clocks/clock_sharing.hpp). All cores with workers together draw no more than
// all of them at work at their normal clocks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/model/machine.hpp"
#include "plan/clocks/clock_sharing.hpp"
#include "plan/crew/worker_places.hpp"
#include "sim/cores/clock_rule.hpp"
#include "sim/machine/machine_model.hpp"

namespace nearfork::sim {

class power_sharing final : public clock_rule {
 public:
  /// For a model that can_share_power().
  power_sharing(const machine& where, const machine_model& model, std::span<const worker_place> places,
                clock_sharing how);

  [[nodiscard]] std::uint64_t delay_ps() const noexcept override { return delay_ps_; }
  [[nodiscard]] std::vector<clock_change> choose(const core_pace& cores) override;

  /// Working cores have this step from the next choose() on.
  void work_at(clock_step step) noexcept { step_ = step; }
  [[nodiscard]] clock_step least() const noexcept { return least_step(kinds_); }

 private:
  struct core_of_kind {
    core_id core{};
    std::uint32_t kind = 0;
  };

  clock_sharing how_;
  clock_step step_ = normal_step;
  std::uint64_t delay_ps_;
  std::vector<core_of_kind> cores_;  // that have workers
  std::vector<kind_load> kinds_;
};

}  // namespace nearfork::sim

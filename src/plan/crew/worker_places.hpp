// Which workers a runtime has on a machine, and how far apart they are.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "machine/model/machine.hpp"
#include "plan/crew/policy_needs.hpp"
#include "plan/crew/worker_layout.hpp"

namespace nearfork {

/// `on` as a policy wants to see it: of one cache domain, with its cores as domains, if policy_needs say so.
[[nodiscard]] std::shared_ptr<const machine> seen_by(policy_needs needs, std::shared_ptr<const machine> on);

/// Where one worker belongs.
struct worker_place {
  pu_id pu{};
  domain_id domain{};
};

/// One worker per core that the process may use, cores of one domain side by side; `wanted` = 0 takes as many
/// as the machine grants (its CPU quota included). More than there are cores: the PUs are given out again and again.
[[nodiscard]] std::vector<worker_place> place_workers(const machine& on, std::uint32_t wanted);

/// The machine that plans are made for: `on` without the domains in which nobody works, for what a plan sends there would
/// wait until somebody fetches it.
[[nodiscard]] std::shared_ptr<const machine> planned_part(std::shared_ptr<const machine> on,
                                                          const std::vector<worker_place>& places);

/// The workers as plans see them.
[[nodiscard]] worker_layout layout_of(const machine& on, const std::vector<worker_place>& places);

}  // namespace nearfork

// Which workers a runtime has on a machine, and the distances between them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "machine/model/machine.hpp"
#include "plan/crew/policy_needs.hpp"
#include "plan/crew/worker_layout.hpp"

namespace nearfork {

/// `on` as the policy needs it: if policy_needs say so, a machine of one cache domain has its cores as domains.
[[nodiscard]] std::shared_ptr<const machine> seen_by(policy_needs needs, std::shared_ptr<const machine> on);

/// Where one worker belongs.
struct worker_place {
  pu_id pu{};
  domain_id domain{};
};

/// One worker per core that the process may use; the workers of one domain have consecutive numbers. `wanted` = 0 takes
/// as many as the machine grants (its CPU quota included). If there are more workers than cores, PUs get several.
[[nodiscard]] std::vector<worker_place> place_workers(const machine& on, std::uint32_t wanted);

/// The machine that plans are made for: drops domains without workers, so that no plan sends work there.
[[nodiscard]] std::shared_ptr<const machine> planned_part(std::shared_ptr<const machine> on,
                                                          const std::vector<worker_place>& places);

/// The workers as plans see them.
[[nodiscard]] worker_layout layout_of(const machine& on, const std::vector<worker_place>& places);
/// rank_of() the core of each worker.
[[nodiscard]] std::vector<int> ranks_of(const machine& on, const std::vector<worker_place>& places);

}  // namespace nearfork

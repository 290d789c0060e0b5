// Machines and costs of round numbers, for cases that are worked out by hand.
#pragma once

#include "plan/plans/policy.hpp"
#include "sim/machine/cost_model.hpp"
#include "sim/machine/machine_model.hpp"
#include "unit/plan/crew/machines_for_tests.hpp"

namespace nearfork::sim {

/// Nothing overlaps. A hit takes 1 ns in L1 and 4 ns in L3; memory takes 100 ns, and in another package twice as much.
/// Bandwidth is unlimited, unless said otherwise.
inline machine_model round_model(const machine& where, std::uint64_t node_line_ps = 0) {
  machine_model made = default_model(where);
  for (core_model& kind : made.kinds) {
    kind.hit_ps = {1'000, 2'000, 4'000};
    kind.memory_level_parallelism = 1;
  }
  made.invalidation_ps = 50'000;
  const std::uint32_t nodes = node_count(where);
  made.node_line_ps.assign(nodes, node_line_ps);
  made.memory_ps.clear();
  for (std::uint32_t d = 0; d < where.domains().size(); ++d)
    for (std::uint32_t node = 0; node < nodes; ++node)
      made.memory_ps.push_back(is_local(where, domain_id{d}, node) ? 100'000 : 200'000);
  return made;
}

/// News of work takes 100 ns longer to another package than within one.
inline cost_model round_costs() {
  return {.fork_ps = 10'000,
          .planned_fork_ps = 10'000,
          .steal_ps = {1'000'000, 1'000'000, 1'000'000, 1'000'000, 1'300'000},
          .failed_look_ps = 0,
          .pool_ps = 500'000,
          .suspend_ps = 30'000,
          .resume_ps = 40'000,
          .notice_ps = 200'000,
          .spin_ps = 1'000'000,
          .wake_ps = 7'000'000,
          .notify_ps = 600'000};
}

/// Follows one plan and one search order.
class fixed_policy final : public policy {
 public:
  explicit fixed_policy(search_order steps) : steps_(steps) {}
  std::string_view name() const override { return "fixed"; }
  policy_needs needs() const override { return {}; }
  plan first(const machine&, const region_facts&) const override { return {}; }
  plan next(const machine&, const profile&, const plan&) const override { return {}; }
  search_order order(const machine&, phase) const override { return steps_; }

 private:
  search_order steps_;
};

}  // namespace nearfork::sim

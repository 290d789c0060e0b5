// All subtree roots at one level: Chen, Huang, Guo, Zhou, "CAB: Cache Aware Bi-tier Task-Stealing in Multi-socket
// Multi-core Architecture" (ICPP 2011), as A-CAB and LAWS describe it.
#pragma once

#include <cstdint>

#include "plan/plans/policy.hpp"

namespace nearfork {

/// What the level is chosen from.
struct boundary_facts {
  std::uint32_t branching = 2;
  std::size_t domains = 1;
  double input_bytes = 0;  // 0: not known
  double cache_bytes = 0;  // of a domain; 0: not known
};

/// The depth of the subtree roots; the region's root has depth 0. It is the smallest d for which a tree that always
/// branches alike has a subtree for every domain, b
/// d >= domains, and each subtree fits the cache, input / b
/// d <= cache.
[[nodiscard]] std::uint32_t boundary_level(const boundary_facts& facts) noexcept;

class cab_policy final : public policy {
 public:
  [[nodiscard]] std::string_view name() const override { return "cab"; }
  [[nodiscard]] policy_needs needs() const override { return {.pinned_workers = true, .profile = true}; }
  /// Assumes that tasks halve their data. CAB's users say how their tasks branch; here the profile says so after one
  /// iteration.
  [[nodiscard]] plan first(const machine& where, const region_facts& facts) const override;
  [[nodiscard]] plan next(const machine& where, const profile& measured, const plan& previous) const override;
  [[nodiscard]] search_order order(const machine& where, phase now) const override;
};

}  // namespace nearfork

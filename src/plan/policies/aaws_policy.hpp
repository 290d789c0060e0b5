// Plain work stealing that knows of unequal cores: Torng, Wang, Batten, "Asymmetry-Aware Work-Stealing Runtimes" (ISCA
// 2016). Cores that work have the clocks at which they get most done together (work-pacing, and work-sprinting while
// others wait). A fast core that finds nothing takes over the task of a slow one (work-mugging).
//
// docs/PAPERS.md has what is known of that paper here, and what is not.
#pragma once

#include "plan/policies/random_policy.hpp"

namespace nearfork {

class aaws_policy final : public policy {
 public:
  [[nodiscard]] std::string_view name() const override { return "aaws"; }
  [[nodiscard]] policy_needs needs() const override { return plain_.needs(); }
  [[nodiscard]] plan first(const machine&, const region_facts&) const override { return {}; }
  [[nodiscard]] plan next(const machine&, const profile&, const plan&) const override { return {}; }
  [[nodiscard]] search_order order(const machine& where, phase now) const override { return plain_.order(where, now); }
  [[nodiscard]] clock_sharing clocks(const machine&) const override { return clock_sharing::pacing; }
  [[nodiscard]] bool mugs() const override { return true; }

 private:
  random_policy plain_{random_policy::workers::pinned};
};

}  // namespace nearfork

// The policy that chooses by itself: LAWS where it pays, plain stealing elsewhere.
//
// With one domain, and for regions that are bound by the cores, nothing is planned at all. Otherwise the region runs a
// few iterations by plain stealing and a few under each packing that LAWS's search asks for, and keeps what was faster:
// so it is never slower than plain stealing by more than its trials. Between the best packing and plain stealing the
// lower median decides, unlike between two packings (tuning.hpp). Were the one or the other to be faster beyond the noise
// to be chosen, then of 150 simulated grid programs 20 would end up more than 3% slower than plain stealing, one of them
// at two and a half times its time (if plain stealing has to prove faster), or the gain would be 27% instead of 33% (if
// the plan has to). By the median 6 do, the worst 24% slower, and the gain is 33%.
//
// The papers run one subtree of a domain at a time, so cores idle while it drains. Here a worker that would sleep
// starts the domain's next subtree.
#pragma once

#include "plan/laws_policy.hpp"
#include "plan/policy.hpp"

namespace nearfork {

class auto_policy final : public policy {
 public:
  [[nodiscard]] std::string_view name() const override { return "auto"; }
  [[nodiscard]] policy_needs needs() const override;
  [[nodiscard]] plan first(const machine& where, const region_facts& facts) const override;
  [[nodiscard]] plan next(const machine& where, const profile& measured, const plan& previous) const override;
  [[nodiscard]] search_order order(const machine& where, phase now) const override;

 private:
  laws_policy planned_{laws_policy::subtrees::packed};
};

}  // namespace nearfork

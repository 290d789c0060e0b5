// The policy that chooses by itself: LAWS where that pays, plain stealing elsewhere.
//
// Two kinds of regions are not planned: those bound by the cores, and, on one cache domain, those that give no size.
// The other regions run a few iterations by plain stealing and a few under each packing that LAWS's search asks for,
// and keep the fastest. So a region is never slower than plain stealing by more than its trials, as far as five
// iterations of each can tell.
// Between the best packing and plain stealing the median decides, unlike between two packings (tuning.hpp), and a tie
// goes to the plan. Of 150 simulated grid programs, 2 take more than 3% longer than plain stealing and their trials
// together; the worst takes 8.5% longer. In the mean they take 0.76 of its time, trials included.
//
// On a machine of one cache domain each core is planned for as a domain (machine::cores_are_domains), because what
// shares a cache is not always what the system says. There all workers help each other at any time.
//
// The papers run one subtree of a domain at a time, so cores idle while it drains. Here a worker that would sleep
// starts the domain's next subtree.
#pragma once

#include "plan/plans/policy.hpp"
#include "plan/policies/laws_policy.hpp"

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

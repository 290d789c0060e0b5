// Unequal shares for unequal cores: Guo, Chen, Guo, Xu, "SAWS: Selective Asymmetry-aware Work-Stealing for Asymmetric
// Multi-Core Architectures". `saws` homes tasks as `laws` does, but the domains of the fastest cores hold a larger part
// of the data: alpha/(alpha + 1). Iteration by iteration it searches for the alpha at which workers seldom want to
// cross between the sides. What a worker without work does is decided by the size of its domain's data: it takes work
// from other domains (monopoly), or leaves its power to the cores that work (distribution).
//
// `saws-printed` searches as Algorithm 1 is printed: one iteration is a trial, crossings alone decide, and LAWS' search
// for the packing does not run before. `saws-migrate` lets data that follow plans move to the new shares; under the
// others data stay where the first iteration placed them, by equal shares, because moving them gained little in the
// paper.
//
// `saws-noalpha` stays at equal shares. `saws-psm` always has the monopoly, `saws-psd` always the distribution.
//
// On a machine whose domains are equally fast all of them are `laws`.
#pragma once

#include <span>

#include "plan/plans/policy.hpp"
#include "plan/policies/laws_policy.hpp"

namespace nearfork {

struct balance;
struct balance_trial;
struct core_sides;

class saws_policy final : public policy {
 public:
  enum class variant : std::uint8_t {
    whole,
    as_printed,
    with_moves,
    equal_shares,
    always_monopoly,
    always_distribution
  };
  explicit saws_policy(variant how) noexcept : how_(how) {}

  [[nodiscard]] std::string_view name() const override;
  [[nodiscard]] policy_needs needs() const override { return laws_.needs(); }
  [[nodiscard]] plan first(const machine& where, const region_facts& facts) const override;
  [[nodiscard]] plan next(const machine& where, const profile& measured, const plan& previous) const override;
  [[nodiscard]] search_order order(const machine& where, phase now) const override;
  [[nodiscard]] clock_sharing clocks(const machine& where) const override;

 private:
  [[nodiscard]] plan balanced(const machine& where, const core_sides& sides, const profile& measured,
                              const plan_explanation& packed) const;
  [[nodiscard]] plan evenly_shared(const machine& where, const core_sides& sides, const profile& measured,
                                   plan packed) const;
  [[nodiscard]] std::vector<bool> crossing_domains(const machine& where, const std::vector<double>& borders,
                                                   const profile& measured) const;
  [[nodiscard]] balance searched(double even, std::span<const balance_trial> trials) const;
  [[nodiscard]] plan renamed(plan made) const;

  variant how_;
  laws_policy laws_{laws_policy::subtrees::packed};
};

}  // namespace nearfork
